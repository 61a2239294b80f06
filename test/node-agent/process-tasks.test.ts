/** Tasks of the process executor from launch to acknowledged end, over real gRPC with real processes. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { type AgentBench, agentBench } from '../support/agent/agent-bench.ts';
import { eventually } from '../support/agent/eventually.ts';
import { hostWorkspace, makeLaunch, outputFile, sha256, shell } from '../support/agent/make-launch.ts';
import { folderSeenByTasks } from '../support/seen-by-tasks.ts';

t.test(
  'agent: a task runs, its product is stored, its output shipped, its folder gone after the acknowledgement',
  async (t) => {
    const bench = await agentBench(t);
    await bench.start();
    await bench.coordinator.connected();
    bench.coordinator.send(
      makeLaunch(1, {
        command: shell(
          'echo out; echo err >&2; mkdir $OUTPUT_DIR/sub; printf content > $OUTPUT_DIR/sub/a.json',
        ),
        interface: { outputs: { files: [outputFile('RESULT', 'sub/*.json')], json: [] } },
        launch: {
          outputs: [{ output: 'RESULT', workspaceUuid: hostWorkspace('').uuid }],
          workspaces: [hostWorkspace(bench.workspace)],
        },
      }),
    );

    const update = await bench.coordinator.update(1);
    t.match(update, {
      outcome: 'COMPLETED',
      jobId: 10,
      exeNum: 1,
      owner: 'job/10',
      error: undefined,
      phases: [
        { phase: 'pull' },
        { phase: 'pre' },
        { phase: 'main', exitCode: 0, timedOut: false },
        { phase: 'post' },
      ],
      outputs: [
        {
          output: 'RESULT',
          path: 'jobs/probe/1.0.0/job_exe_1/sub/a.json',
          fileName: 'a.json',
          size: 7,
          mediaType: 'application/json',
          sha256: sha256('content'),
          metadata: '',
        },
      ],
    });
    t.equal(await readFile(join(bench.workspace, update.outputs[0]?.path ?? ''), 'utf8'), 'content');
    await eventually(
      () => bench.coordinator.log(1) === 'out\n' && bench.coordinator.log(1, 'stderr') === 'err\n',
      'logs',
    );
    await eventually(() => bench.foldersOfTasks().length === 0, 'its folder gone');
    t.strictSame(bench.coordinator.logTokens, ['join-token-of-the-test']);
  },
);

t.test('agent: it sends its hello, then its offer, then heartbeats', async (t) => {
  const bench = await agentBench(t, { labels: { zone: 'a' } });
  await bench.start();
  await bench.coordinator.connected();
  t.match(bench.coordinator.hellos[0], {
    protocol: 1,
    nodeName: 'probe-host',
    joinToken: 'join-token-of-the-test',
    labels: { zone: 'a' },
    resources: bench.config.resources,
    executors: ['process:default'],
    executions: [],
  });
  await eventually(() => bench.coordinator.received.some(({ type }) => type === 'offer'), 'an offer');
  await eventually(() => bench.coordinator.received.some(({ type }) => type === 'heartbeat'), 'a heartbeat');
});

t.test('agent: the end of a task is reported as an error of the catalogue', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const outputs = { files: [outputFile('ONE', '*.txt')], json: [] };
  const target = {
    outputs: [{ output: 'ONE', workspaceUuid: hostWorkspace('').uuid }],
    workspaces: [hostWorkspace(bench.workspace)],
  };
  const cases = [
    { command: shell('exit 3'), error: { name: 'algorithm-unknown', isBuiltin: true } },
    { command: shell('exit 4'), error: { name: 'bad-data', isBuiltin: false } },
    {
      command: shell('kill -9 $$'),
      error: { name: 'docker-terminated', detail: /^exit code 137: killed by SIGKILL;/ },
    },
    {
      command: shell('kill -SEGV $$'),
      error: { name: 'algorithm-unknown', detail: /^exit code 139: ended by SIGSEGV, a wrong/ },
    },
    { command: 'no-such-program-anywhere', error: { name: 'task-launch' } },
    { command: '', error: { name: 'task-launch' } },
    { command: 'true', interface: { outputs }, launch: target, error: { name: 'missing-required-output' } },
    {
      command: shell('cd $OUTPUT_DIR; touch a.txt b.txt'),
      interface: { outputs },
      launch: target,
      error: { name: 'unexpected-multiple-outputs' },
    },
    {
      command: shell('echo [] > $OUTPUT_DIR/seed.outputs.json'),
      error: { name: 'invalid-results-manifest' },
    },
    { command: 'sleep 600', launch: { timeoutS: 1 }, error: { name: 'timeout' } },
    { command: 'sleep 600', launch: { timeoutS: 1, isSystem: true }, error: { name: 'system-timeout' } },
    {
      command: 'true',
      interface: { mounts: [{ name: 'M', path: '/m', mode: 'ro' as const }] },
      error: { name: 'missing-mount' },
    },
    { command: 'true', launch: { containerImage: 'alpine:latest' }, error: { name: 'task-launch' } },
    { launch: { manifest: '{' }, error: { name: 'task-launch', detail: 'the agent cannot read the launch' } },
    {
      interface: { inputs: { files: [], json: [{ name: 'TEXT', type: 'string' as const, required: true }] } },
      launch: { jsonInputs: JSON.stringify({ TEXT: 'x'.repeat(131_072) }) },
      error: {
        name: 'invalid-input',
        detail: 'the variable TEXT has 131078 bytes; at most 131072 are possible',
      },
    },
    {
      command: `echo ${'x'.repeat(131_072)}`,
      error: {
        name: 'invalid-input',
        detail: 'word 2 of the command has 131073 bytes; at most 131072 are possible',
      },
    },
  ];
  const errors = [{ code: 4, name: 'bad-data', title: 'Bad', category: 'data' as const }];
  for (const [index, parts] of cases.entries())
    bench.coordinator.send(makeLaunch(index + 1, { ...parts, errors }));
  for (const [index, { error, command = '' }] of cases.entries()) {
    const update = await bench.coordinator.update(index + 1);
    t.match(
      update,
      { outcome: 'FAILED', error },
      `${index} ${command.slice(0, 80)}: ${JSON.stringify(update.error)}`,
    );
    t.strictSame(update.outputs, []);
  }
});

t.test('agent: a task sees its inputs, its variables and nothing of the agent', async (t) => {
  const bench = await agentBench(t);
  await writeFile(join(bench.workspace, 'one two.txt'), 'first');
  await mkdir(join(bench.workspace, 'd'));
  await writeFile(join(bench.workspace, 'd', 'same.txt'), 'A');
  await writeFile(join(bench.workspace, 'same.txt'), 'BB');
  await bench.start();
  await bench.coordinator.connected();
  const file = (fileId: number, path: string, size: number) => ({
    fileId,
    workspaceUuid: hostWorkspace('').uuid,
    path,
    fileName: path.split('/').at(-1) as string,
    size,
    isSource: true,
    record: '',
  });
  const script =
    'cat "$1"; ls $MANY; cat $INPUT_METADATA; echo; env | sort; echo x >> "$1" || true; echo x > $MANY/new || true';
  bench.coordinator.send(
    makeLaunch(1, {
      command: `${shell(script)} sh $IN_PUT`,
      interface: {
        inputs: {
          files: [
            { name: 'IN-PUT', required: true, mediaTypes: [], multiple: false, partial: false },
            { name: 'MANY', required: true, mediaTypes: [], multiple: true, partial: false },
          ],
          json: [
            { name: 'LIST', type: 'array', required: true },
            { name: 'LD_PRELOAD', type: 'string', required: false },
          ],
        },
        settings: [{ name: 'DB-PASS', secret: true }],
      },
      launch: {
        inputs: [
          { name: 'IN-PUT', multiple: false, partial: false, files: [file(1, 'one two.txt', 5)] },
          {
            name: 'MANY',
            multiple: true,
            partial: false,
            files: [file(2, 'd/same.txt', 1), file(3, 'same.txt', 2)],
          },
        ],
        workspaces: [hostWorkspace(bench.workspace)],
        jsonInputs: JSON.stringify({ LIST: [1, { a: true }], LD_PRELOAD: '/nonexistent.so' }),
        settings: [{ name: 'DB-PASS', value: 'a secret "value"', isSecret: true }],
        inputMetadata: '{"JOB":{}}',
        inputMib: 1,
        environment: { MILLRACE_JOB_ID: '10' },
      },
    }),
  );
  const update = await bench.coordinator.update(1);
  t.equal(update.outcome, 'COMPLETED', JSON.stringify(update.error));
  await eventually(() => bench.coordinator.log(1).includes('TMPDIR'), 'the log');
  const log = bench.coordinator.log(1);
  t.ok(log.startsWith('first3.same.txt\nsame.txt\n{"JOB":{}}'), log);
  const names = log
    .split('\n')
    .filter((line) => line.includes('='))
    .map((line) => line.split('=')[0]);
  t.strictSame(
    names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name as string)),
    [
      'ALLOCATED_CPUS',
      'ALLOCATED_DISK',
      'ALLOCATED_GPUS',
      'ALLOCATED_MEM',
      'DB_PASS',
      'HOME',
      'INPUT_METADATA',
      'IN_PUT',
      'LANG',
      'LD_PRELOAD',
      'LIST',
      'MANY',
      'MILLRACE_JOB_ID',
      'OUTPUT_DIR',
      'PATH',
      'TMPDIR',
    ],
  );
  t.match(log, /^DB_PASS=a secret "value"$/m);
  t.match(log, /^LIST=\[1,\{"a":true\}\]$/m);
  t.equal(
    await readFile(join(bench.workspace, 'one two.txt'), 'utf8'),
    'first',
    'what is stored is as it was',
  );
  t.notOk(bench.log.join('').includes('a secret'), 'no secret in the log');
  t.notOk(
    (await readFile(join(bench.config.folder, 'journal'), 'utf8')).includes('a secret'),
    'no secret on disk',
  );
});

const launchWithInput = (bench: AgentBench, executionId: number, path: string) => {
  const workspaceUuid = hostWorkspace('').uuid;
  const named = { fileId: 1, workspaceUuid, path, fileName: 'a.txt', size: 3, isSource: true, record: '' };
  const inputs = [{ name: 'I', multiple: false, partial: false, files: [named] }];
  return makeLaunch(executionId, { launch: { inputs, workspaces: [hostWorkspace(bench.workspace)] } });
};

t.test('agent: missing and altered inputs are said to be missing', async (t) => {
  const bench = await agentBench(t);
  await writeFile(join(bench.workspace, 'a.txt'), 'longer than recorded');
  await bench.start();
  await bench.coordinator.connected();
  for (const [executionId, path] of [
    [1, 'gone.txt'],
    [2, 'a.txt'],
    [3, '../agent/journal'],
  ] as const) {
    bench.coordinator.send(launchWithInput(bench, executionId, path));
    t.match(
      await bench.coordinator.update(executionId),
      { outcome: 'FAILED', error: { name: 'missing-file' } },
      path,
    );
  }
});

t.test('agent: an unmounted disk is reported as a missing marker, not as missing inputs', async (t) => {
  const bench = await agentBench(t, { declaredWorkspaces: [] });
  await bench.start();
  await bench.coordinator.connected();
  bench.coordinator.send(launchWithInput(bench, 1, 'a.txt'));
  t.match(await bench.coordinator.update(1), { outcome: 'FAILED', error: { name: 'filesystem-io' } });
});

t.test('agent: a kill ends the task with its background processes, and it is canceled', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  bench.coordinator.send(makeLaunch(1, { command: shell('sleep 6781 & setsid sleep 6782 & echo up; wait') }));
  await eventually(() => bench.coordinator.log(1) === 'up\n', 'live output');
  bench.coordinator.send({ type: 'kill', executionId: 1 });
  t.match(await bench.coordinator.update(1), {
    outcome: 'CANCELED',
    error: undefined,
    phases: [{}, {}, { phase: 'main' }],
  });
  const commands = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  t.strictSame(
    commands.filter((command) => /^sleep.678[12]/.test(command)),
    [],
  );
  bench.coordinator.send({ type: 'kill', executionId: 99 });
});

t.test('agent: a launch that comes twice runs once, whether it runs or has ended', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const counted = folderSeenByTasks('millrace-test-');
  t.teardown(() => rm(counted, { recursive: true }));
  const launch = makeLaunch(1, { command: shell(`mktemp ${counted}/XXXXXX; sleep 0.2`) });
  bench.coordinator.send(launch);
  bench.coordinator.send(launch);
  await bench.coordinator.update(1);
  await eventually(() => bench.foldersOfTasks().length === 0, 'forgotten');
  bench.coordinator.send(launch);
  bench.coordinator.send(makeLaunch(2));
  await bench.coordinator.update(2);
  t.equal((await readdir(counted)).length, 1);
  t.equal(bench.coordinator.updatesOf(1).length, 1);

  // Rows that order what was acknowledged are those of a database that was set back.
  bench.coordinator.hangUp();
  await bench.coordinator.connected(2);
  bench.coordinator.send(launch);
  await eventually(() => bench.coordinator.updatesOf(1).length === 2, 'done again for another session');
  t.equal((await readdir(counted)).length, 2);
});

t.test(
  'agent: the limits of a task hold, and exceeding one is reported',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  async (t) => {
    const bench = await agentBench(t);
    await bench.start();
    await bench.coordinator.connected();
    const eat = `node -e "const a=[]; for(;;) a.push(Buffer.alloc(1e7,1))"`;
    bench.coordinator.send(
      makeLaunch(1, { command: eat, launch: { environment: { PATH: process.env.PATH ?? '' } } }),
    );
    const update = await bench.coordinator.update(1);
    t.equal(update.outcome, 'FAILED');
    t.match(update.error?.detail, /memory/);
  },
);

t.test(
  'agent: tasks run as different unprivileged users',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  async (t) => {
    const bench = await agentBench(t);
    await bench.start();
    await bench.coordinator.connected();
    const look = shell(
      'id -u; id -G; cat /proc/self/status | grep -E "^(CapEff|CapBnd|NoNewPrivs)"; sleep 1',
    );
    for (const executionId of [1, 2]) bench.coordinator.send(makeLaunch(executionId, { command: look }));
    const folder = join(bench.config.folder, 'executions');
    bench.coordinator.send(
      makeLaunch(3, {
        command: shell(
          `sleep 0.3; ls ${folder}; ls ${folder}/1; cat ${folder}/1/stdout; cat ${bench.config.folder}/journal; true`,
        ),
      }),
    );
    for (const executionId of [1, 2, 3])
      t.equal((await bench.coordinator.update(executionId)).outcome, 'COMPLETED');
    await eventually(() => [1, 2].every((id) => bench.coordinator.log(id).includes('NoNewPrivs')), 'logs');
    const [one, two] = [1, 2].map((id) => bench.coordinator.log(id).split('\n'));
    t.ok(
      Number(one?.[0]) >= bench.config.taskUsers.first && one?.[0] !== two?.[0],
      `${one?.[0]} ${two?.[0]}`,
    );
    t.equal(one?.[0], one?.[1], 'no other groups');
    t.match(bench.coordinator.log(1), /CapEff:\s+0+\n/);
    t.match(bench.coordinator.log(1), /CapBnd:\s+0+\n/);
    t.match(bench.coordinator.log(1), /NoNewPrivs:\s+1/);
    t.equal(bench.coordinator.log(3), '', 'nothing of others or of the agent could be read');
    t.equal((await stat(bench.workspace)).uid, 0);
  },
);

/** Tasks that leave what they should not: nothing of the host gets out, and the agent continues. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { TaskUpdate } from '../../src/domain/node/agent-messages.ts';
import { type AgentBench, agentBench } from '../support/agent/agent-bench.ts';
import { eventually } from '../support/agent/eventually.ts';
import {
  hostWorkspace,
  type LaunchParts,
  makeLaunch,
  outputFile,
  shell,
} from '../support/agent/make-launch.ts';
import { folderSeenByTasks } from '../support/seen-by-tasks.ts';

const ALL = { files: [outputFile('OUT', '*', { multiple: true, required: false })], json: [] };

async function runAndWait(bench: AgentBench, executionId: number, parts: LaunchParts): Promise<TaskUpdate> {
  const target = {
    outputs: [{ output: 'OUT', workspaceUuid: hostWorkspace('').uuid }],
    workspaces: [hostWorkspace(bench.workspace)],
  };
  bench.coordinator.send(makeLaunch(executionId, { ...parts, launch: { ...target, ...parts.launch } }));
  return bench.coordinator.update(executionId);
}

t.test('hostile output: links, sockets, pipes and devices are ignored; odd names are accepted', async (t) => {
  const bench = await agentBench(t);
  const readable = join(bench.folder, 'shared');
  await mkdir(readable);
  await chmod(readable, 0o777);
  await writeFile(join(readable, 'other.txt'), 'not the task’s', { mode: 0o666 });
  await chmod(join(readable, 'other.txt'), 0o666);
  await bench.start();
  await bench.coordinator.connected();
  const script = `cd $OUTPUT_DIR; ln -s /etc/passwd link; ln -s /etc dir; mkfifo pipe; mkdir folder; echo 1 > "a
b"; echo 2 > $(printf 'x\\377'); ln ${readable}/other.txt hard || true; echo 3 > .hidden`;
  const update = await runAndWait(bench, 1, { command: shell(script), interface: { outputs: ALL } });
  t.equal(update.outcome, 'COMPLETED', JSON.stringify(update.error));
  const isRoot = process.getuid?.() === 0;
  t.strictSame(
    update.outputs.map(({ fileName }) => fileName).filter((name) => isRoot || name !== 'hard'),
    ['a\nb', 'x\uf7ff'],
  );
  const stored = await readdir(join(bench.workspace, 'jobs/probe/1.0.0/job_exe_1'), { encoding: 'buffer' });
  t.ok(
    stored.some((name) => name.equals(Buffer.from([0x78, 0xff]))),
    'the name is stored byte for byte',
  );
});

t.test('hostile output: documents that are links, too deep or broken are refused or left out', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const json = [{ name: 'COUNT', type: 'integer' as const, key: 'count', required: true }];
  const outputs = { ...ALL, json };
  const cases: [string, object][] = [
    ['echo "{\\"count\\": 3}" > seed.outputs.json', { outcome: 'COMPLETED', jsonOutputs: '{"COUNT":3}' }],
    [
      'echo "{\\"count\\": 9007199254740992, \\"other\\": 9007199254740993}" > seed.outputs.json',
      { outcome: 'COMPLETED', jsonOutputs: '{"COUNT":9007199254740992}' },
    ],
    [
      'echo "{\\"count\\": 12345678901234567000}" > seed.outputs.json', // as JavaScript writes it
      { outcome: 'COMPLETED', jsonOutputs: '{"COUNT":12345678901234567000}' },
    ],
    ['ln -s /etc/passwd seed.outputs.json', { error: { name: 'missing-required-output' } }],
    ['mkfifo seed.outputs.json', { error: { name: 'missing-required-output' } }],
    ['echo "{\\"count\\": 3.5}" > seed.outputs.json', { error: { name: 'invalid-results-manifest' } }],
    [
      'echo "{\\"__proto__\\": {\\"count\\": 3}}" > seed.outputs.json',
      { error: { name: 'missing-required-output' } },
    ],
    ['echo nonsense > seed.outputs.json', { error: { name: 'invalid-results-manifest' } }],
    ['head -c 11000000 /dev/zero > seed.outputs.json', { error: { name: 'invalid-results-manifest' } }],
  ];
  for (const [index, [script, wanted]] of cases.entries()) {
    const command = shell(`cd $OUTPUT_DIR; ${script}`);
    const update = await runAndWait(bench, index + 1, { command, interface: { outputs } });
    t.match(update, wanted, `${script}: ${JSON.stringify(update.error)}`);
    t.strictSame(update.outputs, [], 'documents are no products');
  }
});

t.test('outputs: a file of two outputs is stored for each, and the longest names are stored', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const files = [
    outputFile('OUT', '*'),
    outputFile('Y', 'a.*'),
    outputFile('Z', 'Y/a.*', { required: false }),
  ];
  const targets = ['OUT', 'Y', 'Z'].map((output) => ({ output, workspaceUuid: hostWorkspace('').uuid }));
  const both = await runAndWait(bench, 1, {
    command: shell('cd $OUTPUT_DIR; echo 1 > a.x; mkdir Y; echo 2 > Y/a.x'),
    interface: { outputs: { files, json: [] } },
    launch: { outputs: targets },
  });
  t.equal(both.outcome, 'COMPLETED', JSON.stringify(both.error));
  const folder = 'jobs/probe/1.0.0/job_exe_1';
  t.strictSame(
    both.outputs.map(({ output, path, fileName }) => [output, path, fileName]),
    [
      ['OUT', `${folder}/a.x`, 'a.x'],
      ['Y', `${folder}/Y/a.x`, 'a.x'],
      ['Z', `${folder}/Z/Y/a.x`, 'a.x'],
    ],
  );
  const contents = both.outputs.map(({ path }) => readFile(join(bench.workspace, path), 'utf8'));
  t.strictSame(await Promise.all(contents), ['1\n', '1\n', '2\n']);

  const named = shell(`touch $OUTPUT_DIR/${'n'.repeat(255)}`);
  const longest = await runAndWait(bench, 2, { command: named, interface: { outputs: ALL } });
  t.equal(longest.outcome, 'COMPLETED', JSON.stringify(longest.error));
});

t.test('hostile output: JSON values that cannot be stored fail the job, and name the place', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const json = [
    { name: 'TEXT', type: 'string' as const, key: 'text', required: false },
    { name: 'MANY', type: 'array' as const, key: 'many', required: false },
    { name: 'MAP', type: 'object' as const, key: 'map', required: false },
    { name: 'NUMBER', type: 'number' as const, key: 'number', required: false },
  ];
  const outputs = { ...ALL, json };
  const unfit: [string, RegExp][] = [
    [String.raw`{"text": "a\u0000b"}`, /at TEXT .*NUL/],
    [String.raw`{"text": "\ud800"}`, /at TEXT .*surrogate/],
    [String.raw`{"map": {"\udfff": 1}}`, /at MAP.*surrogate/],
    ['{"map": {"__proto__": 1}}', /at MAP.__proto__/],
    [`{"many": ${'['.repeat(70_000)}${']'.repeat(70_000)}}`, /nested deeper/],
    ['{"number": 1e999}', /at NUMBER .*finite/],
    [
      '{"number": 9007199254740993}',
      /at NUMBER the value 9007199254740993 cannot be kept exactly: .* as texts/,
    ],
    [
      '{"many": [1, {"id": -12345678901234567891}]}',
      /at MANY\[1\].id the value -12345678901234567891 cannot/,
    ],
  ];
  const scripts = folderSeenByTasks('millrace-test-');
  t.teardown(() => rm(scripts, { recursive: true }));
  for (const [index, [document, wanted]] of unfit.entries()) {
    const script = `echo ${Buffer.from(document).toString('base64')} | base64 -d > $OUTPUT_DIR/seed.outputs.json`;
    const file = join(scripts, `script-${index}`);
    await writeFile(file, script, { mode: 0o644 });
    const update = await runAndWait(bench, index + 1, { command: `sh ${file}`, interface: { outputs } });
    t.match(update, { outcome: 'FAILED', error: { name: 'invalid-results-manifest', detail: wanted } });
  }
});

t.test(
  'side-cars: a geometry becomes a feature, broken GeoJSON is left out, an input’s is reported',
  async (t) => {
    const bench = await agentBench(t);
    await writeFile(join(bench.workspace, 'in.txt'), 'x');
    await bench.start();
    await bench.coordinator.connected();
    const point = '{\\"type\\":\\"Point\\",\\"coordinates\\":[1,2]}';
    const script = [
      `cd $OUTPUT_DIR; touch a b; echo "${point}" > a.metadata.json`,
      `echo "{}" > b.metadata.json; echo "${point}" > IN.metadata.json`,
    ].join('; ');
    const file = {
      fileId: 77,
      workspaceUuid: hostWorkspace('').uuid,
      path: 'in.txt',
      fileName: 'in.txt',
      size: 1,
      isSource: true,
      record: '',
    };
    const update = await runAndWait(bench, 1, {
      command: shell(script),
      interface: { outputs: ALL },
      launch: { inputs: [{ name: 'IN', multiple: false, partial: false, files: [file] }] },
    });
    const metadata = JSON.stringify({ type: 'Feature', geometry: null, properties: {} });
    const footprint = { geometry: 'POINT (1 2)', centerPoint: 'POINT (1 2)', countries: [] };
    t.match(update.outputs, [
      { fileName: 'a', metadata, footprint },
      { fileName: 'b', metadata: '', footprint: undefined },
    ]);
    t.strictSame(update.parsedInputs, [{ input: 'IN', fileId: 77, metadata, footprint }]);
  },
);

t.test('hostile output: an endless log is cut off, says so, and does not hold up the agent', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await bench.coordinator.connected();
  const bytes = 40 * 1024 * 1024;
  bench.coordinator.send(
    makeLaunch(1, {
      command: shell(`echo start; head -c ${bytes} /dev/zero | tr "\\0" x; echo end >&2`),
      launch: { logLimitMib: 2 },
    }),
  );
  const update = await bench.coordinator.update(1);
  t.match(update, { outcome: 'COMPLETED', logCut: { stdout: Number, stderr: 0 } });
  const cut = update.logCut?.stdout ?? 0;
  const over = 'start\n'.length + bytes - 2 * 1024 * 1024;
  t.ok(cut <= over && cut > over / 2, 'what is written while the file is cut off is not counted');
  t.ok((update.used?.diskBytes ?? 0) >= 2 * 1024 * 1024, 'its folder has what was kept');
  const notice = `2097152 bytes: the rest was cut off]\n[${cut} bytes of stdout were cut off]\n`;
  await eventually(() => bench.coordinator.log(1).endsWith(notice), 'the notice');
  const log = bench.coordinator.log(1);
  t.ok(log.startsWith('start\nxxx'));
  t.ok(log.length < 3 * 1024 * 1024, `${log.length} bytes`);
  await eventually(() => bench.coordinator.log(1, 'stderr') === 'end\n', 'the other stream');
  await eventually(() => bench.foldersOfTasks().length === 0, 'the folder gone');
});

t.test('void executions: their files are removed when the coordinator orders it', async (t) => {
  const bench = await agentBench(t, {}, { isAcking: false });
  await bench.start();
  await bench.coordinator.connected();
  const update = await runAndWait(bench, 1, {
    command: shell('echo x > $OUTPUT_DIR/a'),
    interface: { outputs: ALL },
  });
  t.equal(await readFile(join(bench.workspace, update.outputs[0]?.path as string), 'utf8'), 'x\n');
  bench.coordinator.send({ type: 'ack', spoolIds: [update.spoolId], discardExecutionIds: [1] });
  const files = async (): Promise<number> =>
    (await readdir(bench.workspace, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    ).length;
  await eventually(async () => (await files()) === 0, 'the product gone');
});

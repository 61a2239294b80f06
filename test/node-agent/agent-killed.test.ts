/**
 * An agent killed with -9 at any moment: after its next start every execution has ended once, with one
 * report's worth of content, and every product is there once.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { TaskUpdate } from '../../src/domain/node/agent-messages.ts';
import { type AgentBench, agentBench } from '../support/agent/agent-bench.ts';
import { eventually } from '../support/agent/eventually.ts';
import { hostWorkspace, makeLaunch, outputFile, shell } from '../support/agent/make-launch.ts';

const store = (bench: AgentBench) => ({
  outputs: [{ output: 'OUT', workspaceUuid: hostWorkspace('').uuid }],
  workspaces: [hostWorkspace(bench.workspace)],
});
const many = { outputs: { files: [outputFile('OUT', '*', { multiple: true })], json: [] } };

/** Updates may be repeated until acknowledged; what they say must not differ. */
function distinct(updates: readonly TaskUpdate[]): number {
  return new Set(updates.map((update) => JSON.stringify(update))).size;
}

async function products(bench: AgentBench): Promise<string[]> {
  return (await readdir(bench.workspace, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

/** For a script: waits until the test lets the task go. */
const WAIT = 'until [ -e go ]; do sleep 0.05; done';

function letGo({ config }: AgentBench): Promise<void> {
  return writeFile(join(config.folder, 'executions/1/work/go'), '');
}

t.test('agent killed: a running task continues, is found again, and its end is reported once', async (t) => {
  const bench = await agentBench(t);
  const first = bench.spawn();
  await bench.coordinator.connected();
  const script = `echo begun; ${WAIT}; echo done; echo x > $OUTPUT_DIR/x`;
  bench.coordinator.send(makeLaunch(1, { command: shell(script), interface: many, launch: store(bench) }));
  await eventually(() => bench.coordinator.log(1) === 'begun\n', 'the task to begin');
  await first.end('SIGKILL');

  bench.spawn();
  await bench.coordinator.connected(2);
  t.match(bench.coordinator.hellos[1]?.executions, [{ executionId: 1, phase: 'main', needsLaunch: false }]);
  await letGo(bench);
  const update = await bench.coordinator.update(1);
  t.match(update, {
    outcome: 'COMPLETED',
    phases: [{ phase: 'pull' }, { phase: 'pre' }, { phase: 'main', exitCode: 0 }, { phase: 'post' }],
  });
  t.strictSame(await products(bench), ['x']);
  await eventually(() => bench.coordinator.log(1) === 'begun\ndone\n', 'the rest of the log');
  t.equal(distinct(bench.coordinator.updatesOf(1)), 1);
});

t.test('agent killed: a task that ended meanwhile is reported with its exit code', async (t) => {
  const bench = await agentBench(t);
  const first = bench.spawn();
  await bench.coordinator.connected();
  bench.coordinator.send(makeLaunch(1, { command: shell(`echo up; ${WAIT}; exit 9`) }));
  await eventually(() => bench.coordinator.log(1) === 'up\n', 'the task to begin');
  await first.end('SIGKILL');
  await letGo(bench);
  const exit = join(bench.config.folder, 'executions/1/exit');
  await eventually(
    async () => /^9( \d+){4}\n$/.test(await readFile(exit, 'utf8').catch(() => '')),
    'the task to end',
  );

  bench.spawn();
  t.match(await bench.coordinator.update(1), {
    outcome: 'FAILED',
    error: { name: 'algorithm-unknown', detail: 'exit code 9' },
  });
});

t.test('agent killed: a task that was killed with its supervisor is reported as terminated', async (t) => {
  const bench = await agentBench(t);
  const first = bench.spawn();
  await bench.coordinator.connected();
  bench.coordinator.send(makeLaunch(1, { command: shell('echo up; sleep 600') }));
  await eventually(() => bench.coordinator.log(1) === 'up\n', 'the task to begin');
  await first.end('SIGKILL');
  const supervisor = Number.parseInt(
    await readFile(join(bench.config.folder, 'executions/1/supervisor'), 'utf8'),
    10,
  );
  process.kill(supervisor, 'SIGKILL');

  bench.spawn();
  t.match(await bench.coordinator.update(1), { outcome: 'FAILED', error: { name: 'docker-terminated' } });
});

t.test('agent killed: half-stored products are stored once', async (t) => {
  const bench = await agentBench(t);
  let agent = bench.spawn();
  await bench.coordinator.connected();
  const names = Array.from({ length: 200 }, (_, index) => `f${index}`).sort();
  const script = 'cd $OUTPUT_DIR; i=0; while [ $i -lt 200 ]; do echo content $i > f$i; i=$((i+1)); done';
  bench.coordinator.send(makeLaunch(1, { command: shell(script), interface: many, launch: store(bench) }));
  for (const [kills, count] of [5, 60, 120].entries()) {
    const isThere = async (): Promise<boolean> =>
      (await products(bench)).length >= count || bench.coordinator.updatesOf(1).length > 0;
    await eventually(isThere, `${count} products`);
    await agent.end('SIGKILL');
    agent = bench.spawn();
    await bench.coordinator.connected(kills + 2);
  }

  const update = await bench.coordinator.update(1);
  t.equal(update.outcome, 'COMPLETED', JSON.stringify(update.error));
  t.equal(update.outputs.length, 200);
  t.strictSame(await products(bench), names);
  t.equal(distinct(bench.coordinator.updatesOf(1)), 1);
});

t.test('agent killed: unacknowledged reports are sent again, unchanged', async (t) => {
  const bench = await agentBench(t, {}, { isAcking: false });
  const first = bench.spawn();
  await bench.coordinator.connected();
  for (const executionId of [1, 2, 3]) bench.coordinator.send(makeLaunch(executionId));
  for (const executionId of [1, 2, 3]) await bench.coordinator.update(executionId);
  await first.end('SIGKILL');

  bench.coordinator.isAcking = true;
  bench.spawn();
  for (const executionId of [1, 2, 3]) {
    await eventually(
      () => bench.coordinator.updatesOf(executionId).length === 2,
      `the second update of ${executionId}`,
    );
    t.equal(distinct(bench.coordinator.updatesOf(executionId)), 1);
  }
  t.match(bench.coordinator.hellos[1]?.executions, [
    { phase: 'ended' },
    { phase: 'ended' },
    { phase: 'ended' },
  ]);
  await eventually(() => bench.foldersOfTasks().length === 0, 'no folders');
});

t.test('agent killed: secrets are requested again, and never written to disk', async (t) => {
  const bench = await agentBench(t);
  const workspace = {
    ...hostWorkspace(bench.workspace),
    configuration: JSON.stringify({
      broker: { type: 'host', host_path: bench.workspace, credentials: { secret_access_key: 'key-secret' } },
    }),
  };
  const first = bench.spawn();
  await bench.coordinator.connected();
  const launch = makeLaunch(1, {
    command: shell(`echo up; ${WAIT}; printf %s "$PASS" > $OUTPUT_DIR/x`),
    interface: { ...many, settings: [{ name: 'PASS', secret: true }] },
    launch: {
      ...store(bench),
      workspaces: [workspace],
      settings: [{ name: 'PASS', value: 'pass-secret', isSecret: true }],
    },
  });
  bench.coordinator.send(launch);
  await eventually(() => bench.coordinator.log(1) === 'up\n', 'the task to begin');
  await first.end('SIGKILL');
  await letGo(bench);
  const journal = await readFile(join(bench.config.folder, 'journal'), 'utf8');
  t.notMatch(journal, /key-secret|pass-secret/);

  const second = bench.spawn();
  await bench.coordinator.connected(2);
  t.match(bench.coordinator.hellos[1]?.executions, [{ executionId: 1, needsLaunch: true }]);
  bench.coordinator.send(launch);
  t.match(await bench.coordinator.update(1), {
    outcome: 'COMPLETED',
    outputs: [{ size: 'pass-secret'.length }],
  });
  t.notMatch(second.log + first.log, /key-secret|pass-secret/);
});

t.test('agent killed: a timeout that was noticed before is still reported as a timeout', async (t) => {
  const bench = await agentBench(t);
  const first = bench.spawn();
  await bench.coordinator.connected();
  const stubborn = shell('trap "" TERM; echo up; while :; do sleep 0.1; done');
  bench.coordinator.send(makeLaunch(1, { command: stubborn, launch: { timeoutS: 1 } }));
  const stop = join(bench.config.folder, 'executions/1/stop');
  await eventually(
    async () => (await readFile(stop, 'utf8').catch(() => '')) === 'timeout',
    'the time limit',
  );
  await first.end('SIGKILL');
  bench.spawn();
  t.match(await bench.coordinator.update(1), {
    outcome: 'FAILED',
    error: { name: 'timeout' },
    phases: [{}, {}, { timedOut: true }],
  });
});

t.test('agent: a stopped agent leaves its tasks running, and its next start takes them up', async (t) => {
  const bench = await agentBench(t);
  const first = bench.spawn();
  await bench.coordinator.connected();
  bench.coordinator.send(makeLaunch(1, { command: shell(`echo up; ${WAIT}; exit 5`) }));
  await eventually(() => bench.coordinator.log(1) === 'up\n', 'the task to begin');
  await first.end('SIGTERM');
  t.equal(first.exitCode, 0);
  t.equal(bench.coordinator.updatesOf(1).length, 0);
  await letGo(bench);
  bench.spawn();
  t.match(await bench.coordinator.update(1), { outcome: 'FAILED', error: { detail: 'exit code 5' } });
});

t.test('agent: a second agent on the same folder is refused, and its message names the first', async (t) => {
  const bench = await agentBench(t);
  await bench.start();
  await t.rejects(bench.start(), { code: 'DATA_DIR_IN_USE', message: new RegExp(`process ${process.pid}`) });
});

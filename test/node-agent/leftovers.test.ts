/**
 * What tasks leave behind and cannot be removed: the agent continues, and starts again, says so in its offers, and
 * tries again later.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock } from '../../node-agent/clock.ts';
import { TaskFolders } from '../../node-agent/task/task-folders.ts';
import type { NodeCondition, Offer } from '../../src/domain/node/agent-messages.ts';
import { type AgentBench, agentBench } from '../support/agent/agent-bench.ts';
import { eventually } from '../support/agent/eventually.ts';
import { makeLaunch, shell } from '../support/agent/make-launch.ts';
import { silentLog as log } from '../support/silent-log.ts';

const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? {} : { skip: 'needs root' };
/** Made by a program that changes its directory: no path names the last of them. */
const NEST = '/usr/bin/perl -e "for (1..3_000) { mkdir q(deep) or die; chdir q(deep) or die }"';

t.test('leftovers: a mount point is set aside, reported, and removed once it can be', asRoot, async (t) => {
  const bench = await agentBench(t, {}, { isAcking: false });
  const executions = join(bench.config.folder, 'executions');
  const elsewhere = join(bench.folder, 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'precious'), 'x');
  const agent = await bench.start();
  await bench.coordinator.connected();
  bench.coordinator.send(makeLaunch(1, { command: shell('mkdir $OUTPUT_DIR/held; touch $OUTPUT_DIR/a') }));
  const update = await bench.coordinator.update(1);
  const unmount = await mounted(t, elsewhere, join(executions, '1/output/held'));
  bench.coordinator.send({ type: 'ack', spoolIds: [update.spoolId], discardExecutionIds: [] });
  const warning = (): NodeCondition | undefined => lastOffer(bench)?.warnings[0];
  await eventually(() => warning() !== undefined, 'a warning in the offer');
  t.match(warning(), { name: 'LEFTOVERS', description: /leftovers\/1-1 \(.*EBUSY\)/ });
  t.strictSame(lastOffer(bench)?.errors, [], 'the node is none the worse');
  t.strictSame(await readdir(join(executions, 'leftovers/1-1/output')), ['held'], 'all else is gone');
  t.strictSame(await readdir(elsewhere), ['precious'], 'what is mounted is not touched');
  await agent.stop();

  const connectedBefore = bench.coordinator.hellos.length;
  const again = await bench.start();
  await bench.coordinator.connected(connectedBefore + 1);
  await eventually(() => warning() !== undefined, 'the same warning after a start');
  await again.stop();
  unmount();
  await bench.start();
  await bench.coordinator.connected(connectedBefore + 2);
  await eventually(async () => (await readdir(join(executions, 'leftovers'))).length === 0, 'it is gone');
  t.equal(warning(), undefined);
  t.strictSame(await readdir(elsewhere), ['precious']);
});

t.test('leftovers: a folder that cannot be moved keeps its place, and is tried again', asRoot, async (t) => {
  const folder = t.testdir({ elsewhere: { precious: 'x' }, executions: { 7: {}, 8: { a: '' } } });
  const executions = join(folder, 'executions');
  const unmount = await mounted(t, join(folder, 'elsewhere'), join(executions, '7'));
  const told: (string | undefined)[] = [];
  const clock = new HandClock();
  const onTrouble = (description: string | undefined): void => void told.push(description);
  const folders = new TaskFolders({ folder: executions, clock, log, onTrouble });
  await folders.resume(() => false);
  await clock.waited(1);
  t.strictSame((await readdir(executions)).sort(), ['7', 'leftovers']);
  t.strictSame(await readdir(join(executions, 'leftovers')), []);
  t.match(told, [/executions\/7 \(.*EBUSY\)/]);
  await t.rejects(folders.make(7), { code: 'FILESYSTEM_IO' }, 'a task is refused, nothing else');
  unmount();
  clock.ring();
  await clock.waited(2);
  t.strictSame(await readdir(executions), ['leftovers']);
  t.equal(told.at(-1), undefined, 'nothing is wrong any more');
  await folders.make(7);
  await folders.stop();
});

t.test('leftovers: immutable files are reported', asRoot, async (t) => {
  const executions = t.testdir({ 3: { output: { fixed: '', gone: '' } } });
  const fixed = (name: string): string => join(executions, name, 'output/fixed');
  try {
    execFileSync('chattr', ['+i', fixed('3')], { stdio: 'ignore' });
  } catch {
    return t.pass('this file system has no immutable files', { skip: true });
  }
  const told: (string | undefined)[] = [];
  const onTrouble = (description: string | undefined): void => void told.push(description);
  const clock = new HandClock();
  const folders = new TaskFolders({ folder: executions, clock, log, onTrouble });
  await folders.remove(3);
  t.match(told, [/leftovers\/3-1 \(.*EPERM\)/]);
  const left = await readdir(join(executions, 'leftovers/3-1/output'));
  execFileSync('chattr', ['-R', '-i', executions], { stdio: 'ignore' });
  t.strictSame(left, ['fixed']);
  await folders.make(3);
  t.same(await readdir(join(executions, '3')), [], 'its name is free for another');
  await folders.stop();
});

t.test('leftovers: an agent that is not root removes folders that it cannot enter', async (t) => {
  const bench = await agentBench(t);
  const executions = join(bench.config.folder, 'executions');
  if (isRoot) dropRights(bench.folder);
  const lost = join(executions, '99/output/module/nested');
  await mkdir(lost, { recursive: true });
  await writeFile(join(lost, 'go.mod'), '');
  execFileSync('/bin/sh', ['-c', NEST], { cwd: join(executions, '99/output') });
  for (const name of ['module/nested', 'module', '']) await chmod(join(executions, '99/output', name), 0o500);
  const agent = await bench.start();
  await bench.coordinator.connected();
  const gone = async (): Promise<boolean> => {
    const left = (await readdir(executions)).filter((name) => name !== 'leftovers');
    const aside = await readdir(join(executions, 'leftovers')).catch(() => []);
    return left.length === 0 && aside.length === 0;
  };
  await eventually(gone, 'what an earlier life has left is gone');
  const script = `cd $OUTPUT_DIR; mkdir -p a/b; touch a/b/c; ${NEST}; chmod 500 a/b a deep; chmod 0 $OUTPUT_DIR`;
  bench.coordinator.send(makeLaunch(1, { command: shell(script) }));
  const update = await bench.coordinator.update(1);
  t.match(update, { outcome: 'FAILED', error: { name: 'invalid-results-manifest' } });
  await eventually(gone, 'what the task has left is gone');
  t.strictSame(lastOffer(bench)?.warnings, []);
  await agent.stop();
});

function lastOffer({ coordinator }: AgentBench): Offer | undefined {
  return coordinator.received.findLast((message): message is Offer => message.type === 'offer');
}

/** Mounts `from` at `at`; what is answered takes it away wherever it was moved to. */
async function mounted(t: Test, from: string, at: string): Promise<() => void> {
  execFileSync('mount', ['--bind', from, at]);
  const unmount = (): void => {
    const lines = execFileSync('cat', ['/proc/self/mountinfo']).toString().split('\n');
    const places = lines.map((line) => line.split(' ')).filter((parts) => parts[3]?.endsWith(from));
    for (const parts of places) execFileSync('umount', [parts[4] as string]);
  };
  t.teardown(unmount);
  return unmount;
}

/** For the rest of this file: nothing that follows runs as root. */
function dropRights(folder: string): void {
  execFileSync('chown', ['-R', '65534:65534', folder]);
  process.setgroups?.([]);
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}

/** A clock whose timers fire when a test says so. */
class HandClock implements Clock {
  #timers: (() => void)[] = [];
  #count = 0;

  nowMs(): number {
    return 0;
  }

  bootMs(): number {
    return 0;
  }

  after(_delayMs: number, call: () => void): () => void {
    this.#timers.push(call);
    this.#count += 1;
    return () => undefined;
  }

  /** Resolves when so many timers were begun. */
  waited(count: number): Promise<unknown> {
    return eventually(() => this.#count >= count, `${count} timers`);
  }

  ring(): void {
    for (const call of this.#timers.splice(0)) call();
  }
}

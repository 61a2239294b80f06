/** Failures of tasks on a disk that is full, or was while they ran: a real one, small enough to be filled. */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock } from '../../../node-agent/clock.ts';
import { DiskWatch } from '../../../node-agent/task/full-disk.ts';
import { DeclaredFailure, TaskFailure } from '../../../node-agent/task/task-failure.ts';
import { needsDisks, SmallDisk } from '../../e2e/torture/small-disk.ts';
import { agentBench } from '../../support/agent/agent-bench.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { makeLaunch, shell } from '../../support/agent/make-launch.ts';
import { folderSeenByTasks } from '../../support/seen-by-tasks.ts';

function smallDisk(t: Test, mib: number): SmallDisk {
  const root = mkdtempSync(join(tmpdir(), 'millrace-full-disk-'));
  chmodSync(root, 0o711);
  const disk = new SmallDisk(join(root, 'disk'), mib, 0o711);
  t.teardown(() => {
    disk.unmount();
    rmSync(root, { recursive: true });
  });
  return disk;
}

/** A clock whose timers the test lets go off. */
class StoppedClock implements Clock {
  readonly due: (() => unknown)[] = [];
  readonly nowMs = () => 0;
  readonly bootMs = () => 0;

  after(_delayMs: number, call: () => unknown): () => void {
    this.due.push(call);
    return () => undefined;
  }

  /** Lets all of them go off that are due, and waits for what they do. */
  async pass(): Promise<number> {
    const calls = this.due.splice(0);
    for (const call of calls) await call();
    return calls.length;
  }
}

const UNKNOWN = new TaskFailure('algorithm-unknown', 'exit code 2');
const FULL = {
  errorName: 'filesystem-io',
  message: 'exit code 2, and the disk of its folder was full',
};

t.test(
  'full disk: a task that ended with an exit code is tried again, and other ends are kept',
  needsDisks(),
  async (t) => {
    const disk = smallDisk(t, 8);
    const watch = new DiskWatch(disk.folder, new StoppedClock());
    const declared = new DeclaredFailure('tool-failed', 'exit code 2');
    const other = new TaskFailure('timeout', 'too long');
    for (const failure of [UNKNOWN, declared]) {
      t.equal(await watch.begin(true).explained(failure), failure, 'there is room');
    }
    disk.fill();
    t.match(await watch.begin(true).explained(UNKNOWN), FULL);
    t.match(
      await watch.begin(true).explained(declared),
      { ...FULL, isBuiltin: true },
      'a code that is declared',
    );
    t.equal(await watch.begin(true).explained(other), other);
    const gone = new DiskWatch(join(disk.folder, 'gone'), new StoppedClock());
    t.equal(await gone.begin(true).explained(UNKNOWN), UNKNOWN, 'a folder that is gone');
    disk.free();
    t.equal(await watch.begin(true).explained(UNKNOWN), UNKNOWN, 'there is room again');
  },
);

t.test('full disk: a disk with room again is remembered as having been full', needsDisks(), async (t) => {
  const disk = smallDisk(t, 8);
  const clock = new StoppedClock();
  const watch = new DiskWatch(disk.folder, clock);
  const [before, during] = [watch.begin(true), watch.begin(true)];
  t.equal(await clock.pass(), 1, 'one look for all tasks');
  before.end();
  t.equal(await before.explained(UNKNOWN), UNKNOWN, 'it ended before');
  disk.fill();
  await clock.pass();
  disk.free();
  const after = watch.begin(true);
  t.equal(await after.explained(UNKNOWN), UNKNOWN, 'it began later');
  t.match(await during.explained(UNKNOWN), FULL);
  for (const one of [during, after]) one.end();
  await clock.pass();
  t.equal(await clock.pass(), 0, 'nobody looks while nothing runs');
  watch.begin(true);
  t.equal(await clock.pass(), 1);
});

t.test(
  'full disk: a full disk at the agent’s start counts for tasks that ran through the restart',
  needsDisks(),
  async (t) => {
    const disk = smallDisk(t, 8);
    disk.fill();
    const watch = new DiskWatch(disk.folder, new StoppedClock());
    const [fresh, adopted] = [watch.begin(true), watch.begin(false)];
    t.match(await adopted.explained(UNKNOWN), FULL);
    disk.free();
    t.match(await watch.begin(false).explained(UNKNOWN), FULL, 'it may have ended before there was room');
    t.equal(await watch.begin(true).explained(UNKNOWN), UNKNOWN);
    for (const one of [fresh, adopted]) one.end();
  },
);

t.test(
  'full disk: a task that failed on it is tried again, though there is room when it ends',
  needsDisks(),
  async (t) => {
    const disk = smallDisk(t, 64);
    const signs = folderSeenByTasks('millrace-test-');
    t.teardown(() => rmSync(signs, { recursive: true }));
    const bench = await agentBench(t, { folder: join(disk.folder, 'agent') });
    await bench.start();
    await bench.coordinator.connected();
    // It looks for room for as long as several looks of the agent take, and gives up.
    const script = `touch ${signs}/runs
      tries=0
      while [ $tries -lt 30 ]; do
        head -c 65536 /dev/zero >>$OUTPUT_DIR/product 2>/dev/null || tries=$((tries + 1))
        sleep 0.1
      done
      touch ${signs}/failed
      until [ -e ${signs}/room ]; do sleep 0.1; done
      exit 2`;
    bench.coordinator.send(makeLaunch(1, { command: shell(script) }));
    await eventually(() => existsSync(join(signs, 'runs')), 'it runs');
    disk.fill();
    await eventually(() => existsSync(join(signs, 'failed')), 'it finds no room', 60_000);
    disk.free();
    writeFileSync(join(signs, 'room'), '');
    const { error } = await bench.coordinator.update(1);
    t.match(error, { name: 'filesystem-io', isBuiltin: true });
    t.match(error?.detail, /^exit code 2, and the disk of its folder was full/);

    bench.coordinator.send(makeLaunch(2, { command: shell('exit 2') }));
    t.match((await bench.coordinator.update(2)).error, { name: 'algorithm-unknown' }, 'its own fault');
  },
);

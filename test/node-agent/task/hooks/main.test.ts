import t from 'tap';
import type { Clock } from '../../../../node-agent/clock.ts';
import type { MainEnd } from '../../../../node-agent/executor/executor.ts';
import { failureOf, watchMain } from '../../../../node-agent/task/hooks/main.ts';
import { taskFolder } from '../../../../node-agent/task/task-folder.ts';
import type { TaskSpec } from '../../../../node-agent/task/task-spec.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** A task whose manifest declares the exit code 3. */
function specOf(isSystem: boolean): TaskSpec {
  const manifest = { job: { errors: [{ code: 3, name: 'declared' }] } };
  return { launch: { isSystem, timeoutS: 9 }, manifest } as unknown as TaskSpec;
}

function errorOf(exitCode: number, isSystem: boolean): string | undefined {
  const end = { how: 'exited', exitCode, endedMs: 0, isOutOfMemory: false } as const;
  return failureOf({ startedMs: 0, end, stopped: undefined } as never, specOf(isSystem))?.errorName;
}

t.test(
  'main task: a user job fails with what its manifest declares, else with an algorithm failure',
  async (t) => {
    t.equal(errorOf(0, false), undefined);
    t.equal(errorOf(3, false), 'declared');
    t.equal(errorOf(11, false), 'algorithm-unknown');
  },
);

t.test(
  'main task: a system job fails with the built-in error of its exit code, else for unknown reasons',
  async (t) => {
    t.equal(errorOf(0, true), undefined);
    t.equal(errorOf(11, true), 'test');
    t.equal(errorOf(1, true), 'unknown');
    t.equal(errorOf(3, true), 'unknown');
  },
);

t.test('main task: a timeout of a system job is an error of the system', async (t) => {
  const end = { how: 'exited', exitCode: 137, endedMs: 0, isOutOfMemory: false } as const;
  const stopped = { startedMs: 0, end, stopped: 'timeout' } as never;
  t.equal(failureOf(stopped, specOf(true))?.errorName, 'system-timeout');
  t.equal(failureOf(stopped, specOf(false))?.errorName, 'timeout');
});

t.test(
  'main task: a container that was killed from outside is lost, and its program has not failed',
  async (t) => {
    const errorOfKilled = (more: object) => {
      const end = { how: 'exited', exitCode: 137, endedMs: 0, isOutOfMemory: false, isKilled: true, ...more };
      return failureOf({ startedMs: 0, end, stopped: undefined } as never, specOf(false))?.errorName;
    };
    t.equal(errorOfKilled({}), 'docker-terminated');
    t.equal(errorOfKilled({ isOutOfMemory: true }), 'out-of-memory');
    t.equal(errorOfKilled({ isKilled: false }), 'algorithm-unknown', 'it ended itself with that code');
    t.equal(errorOfKilled({ exitCode: 3 }), 'declared', 'what the manifest declares goes first');
  },
);

t.test('main task: the code of a signal is shown with what it means', async (t) => {
  const cases = [
    { exitCode: 129, message: 'exit code 129' },
    { exitCode: 137, message: 'exit code 137: killed by SIGKILL' },
    { exitCode: 137, isOutOfMemory: true, message: 'exit code 137: more memory than it was given' },
    { exitCode: 143, message: 'exit code 143: ended by SIGTERM' },
    { exitCode: 139, message: 'exit code 139: ended by SIGSEGV, a wrong access to memory' },
    { exitCode: 3, message: 'exit code 3' },
    { exitCode: 9, message: 'exit code 9' },
    { exitCode: 128, message: 'exit code 128' },
    { exitCode: 255, message: 'exit code 255' },
  ];
  for (const { message, ...more } of cases) {
    const end = { how: 'exited', endedMs: 0, isOutOfMemory: false, ...more };
    const failure = failureOf({ startedMs: 0, end, stopped: undefined } as never, specOf(false));
    t.equal(failure?.message, message);
  }
});

for (const stepMs of [3_600_000, -3_600_000]) {
  for (const elapsedMs of [0, 4_000]) {
    const what = elapsedMs === 0 ? 'one that has just started' : 'one that was found again';
    t.test(`main task: a clock stepped by ${stepMs} ms changes no time limit of ${what}`, async (t) => {
      const virtual = new VirtualClock();
      let wallMs = 1_000_000_000_000;
      const clock: Clock = {
        nowMs: () => wallMs,
        bootMs: () => virtual.monotonicMs(),
        after: (delayMs, call) => virtual.timer(delayMs, call),
      };
      const signals: string[] = [];
      let end: (end: MainEnd) => void = () => undefined;
      const ended = new Promise<MainEnd>((resolve) => {
        end = resolve;
      });
      const run = {
        ...{ startedMs: wallMs - elapsedMs, note: '', ended },
        signal: async (name: string) => {
          signals.push(name);
          end({ how: 'exited', exitCode: 143, endedMs: wallMs, isOutOfMemory: false, isKilled: false });
        },
      };
      const task = { folder: taskFolder(t.testdir()) };
      wallMs += stepMs;
      const watched = watchMain(
        {
          ...{ spec: specOf(false), task: task as never, clock, elapsedMs },
          ...{ isFresh: elapsedMs === 0, canceled: new AbortController().signal },
        },
        run,
      );
      // What is noted in its folder is read first.
      while (virtual.timerCount === 0) await new Promise((resolve) => setImmediate(resolve));
      await virtual.advance(8_999 - elapsedMs);
      t.strictSame(signals, []);
      await virtual.advance(2);
      t.equal((await watched).stopped, 'timeout');
      t.strictSame(signals, ['SIGTERM']);
    });
  }
}

import { EventEmitter } from 'node:events';
import t, { type Test } from 'tap';
import { watchSignals } from '../../src/cli/stopping.ts';

function watched(t: Test, drainMs = 3_600_000) {
  const process = new EventEmitter();
  const exits: number[] = [];
  const seen: string[] = [];
  const stopping = watchSignals({
    process,
    drainMs,
    exit: (code) => exits.push(code),
    onSignal: (name, isForced) => seen.push(`${name} ${isForced}`),
  });
  t.teardown(() => stopping.dispose());
  return { process, exits, seen, stopping };
}

/** The time within which a launcher's copy of a Ctrl-C counts as the same one. */
function afterRepeats(t: Test): void {
  const real = performance.now.bind(performance);
  t.intercept(performance, 'now', { value: () => real() + 1_000, configurable: true, writable: true });
}

t.test('stopping: the first signal drains, the second forces, the third ends at once', async (t) => {
  const { process, exits, seen, stopping } = watched(t);

  process.emit('SIGINT');
  t.ok(stopping.draining.aborted);
  t.notOk(stopping.forced.aborted);

  afterRepeats(t);
  process.emit('SIGINT');
  t.ok(stopping.forced.aborted);
  t.same(exits, []);

  process.emit('SIGTERM');
  t.same(exits, [143]);
  t.same(seen, ['SIGINT false', 'SIGINT true']);
});

t.test('stopping: one Ctrl-C that is delivered twice counts once', async (t) => {
  const { process, stopping } = watched(t);
  process.emit('SIGINT');
  process.emit('SIGINT');
  t.notOk(stopping.forced.aborted);
});

t.test('stopping: a drain that takes too long is forced', async (t) => {
  const { process, stopping } = watched(t, 1);
  const alive = setInterval(() => undefined, 1_000); // the timers of stopping keep nothing alive
  t.teardown(() => clearInterval(alive));
  const forced = new Promise((resolve) => stopping.forced.addEventListener('abort', resolve));
  process.emit('SIGTERM');
  await forced;
  t.ok(stopping.draining.aborted);
});

t.test('stopping: the former signal handlers are restored', async (t) => {
  const { process, stopping } = watched(t);
  stopping.dispose();
  process.emit('SIGINT');
  t.notOk(stopping.draining.aborted);
  t.same(process.eventNames(), []);
});

import t from 'tap';
import { createHealth } from '../../src/observe/health.ts';

const never = () => new Promise<void>(() => undefined);

t.test('health: every check is asked, and one vital failure is enough', async (t) => {
  const health = createHealth({ nowMs: () => 5 });
  health.add('good', () => undefined);
  t.same(await health.report(), { isOk: true, checks: [{ name: 'good', isOk: true, tookMs: 0 }] });

  health.add('throws', () => {
    throw new Error('no disk');
  });
  health.add('rejects', () => Promise.reject(new Error('no database')));

  t.match(await health.report(), {
    isOk: false,
    checks: [{ isOk: true }, { isOk: false, message: 'no disk' }, { isOk: false, message: 'no database' }],
  });
});

t.test('health: a failure that is not vital is reported, no more', async (t) => {
  const health = createHealth({ nowMs: () => 0 });
  health.add('bus', () => Promise.reject(new Error('gone')), { isVital: false });
  t.match(await health.report(), { isOk: true, checks: [{ name: 'bus', isOk: false, message: 'gone' }] });
});

t.test('health: a check that hangs is given up and told so', async (t) => {
  const health = createHealth({ nowMs: () => 0, timeoutMs: 1 });
  const alive = setInterval(() => undefined, 1_000); // a deadline of health keeps no process alive
  t.teardown(() => clearInterval(alive));
  let isTold = false;
  health.add('stuck', (signal) => {
    signal.addEventListener('abort', () => {
      isTold = true;
    });
    return never();
  });
  t.match(await health.report(), { isOk: false, checks: [{ message: /within 1 ms/ }] });
  t.ok(isTold);
});

t.test('health: simultaneous probes share one round of checks', async (t) => {
  const health = createHealth({ nowMs: () => 0 });
  let asked = 0;
  health.add('counted', () => {
    asked += 1;
  });
  await Promise.all([health.report(), health.report(), health.report()]);
  t.equal(asked, 1);
  await health.report();
  t.equal(asked, 2);
});

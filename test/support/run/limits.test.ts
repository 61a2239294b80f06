import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { limitOf, mergedQuietTimes, readQuietTimes } from './limits.ts';

t.test('limits: a file has five times its quiet time, and at least a minute', async (t) => {
  const times = { 'test/a.test.ts': 40, 'test/b.test.ts': 1 };
  t.match(limitOf('test/a.test.ts', times), { counts: 'total', ms: 200_000, tapSeconds: 195 });
  t.match(limitOf('test/b.test.ts', times), { counts: 'total', ms: 60_000 });
  t.match(limitOf('test/new.test.ts', times), { counts: 'total', ms: 300_000 });
});

t.test('limits: the simulation is bounded by its steps, not by the clock', async (t) => {
  t.match(limitOf('test/sim/sim.test.ts', { 'test/sim/sim.test.ts': 1 }), {
    counts: 'silence',
    tapSeconds: 0,
  });
});

t.test(
  'limits: times of files that passed are recorded, and those of removed files are dropped',
  async (t) => {
    const before = { 'gone.test.ts': 3, 'kept.test.ts': 4, 'again.test.ts': 5 };
    const results = [
      { file: 'again.test.ts', tookMs: 6_200, failures: [] },
      { file: 'failed.test.ts', tookMs: 9_000, failures: [{ path: 'x', diagnostic: '' }] },
    ];
    const existing = new Set(['kept.test.ts', 'again.test.ts', 'failed.test.ts']);
    t.strictSame(mergedQuietTimes(before, results, existing), { 'again.test.ts': 7, 'kept.test.ts': 4 });
  },
);

t.test('limits: each recorded file exists', async (t) => {
  const root = join(import.meta.dirname, '../../..');
  t.strictSame(
    Object.keys(readQuietTimes()).filter((file) => !existsSync(join(root, file))),
    [],
  );
});

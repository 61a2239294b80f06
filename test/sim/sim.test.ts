/**
 * Seeds that choose faults, with every law checked at every step. Among so many each kind of fault occurs in seven and
 * more; `npm run sim` runs a thousand.
 */
import t from 'tap';
import { CALM } from './fault-schedule.ts';
import { simulate } from './simulation.ts';

const SEEDS = 60;

t.test('simulation: without faults everything that was requested is completed', async (t) => {
  const { files, jobs } = await simulate(1, { faultRates: { ...CALM, eventEveryMs: 1_500 } });
  t.ok(files > 3);
  t.ok(jobs > 2 * files);
});

t.test('simulation: a seed repeats its run exactly', async (t) => {
  const [one, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
  t.equal(again.trace, one.trace);
  t.equal(again.steps, one.steps);
  t.not(other.trace, one.trace);
});

t.test('simulation: seeds that found bugs break no law any more', async (t) => {
  // The bugs: content registered late, executions of a former agent, a scheduler that took old messages for new ones.
  // Seeds 2 and 55, which found some of them, are among those below.
  for (const seed of [1_908, 3_333, 5_350]) await t.resolves(simulate(seed), `seed ${seed}`);
});

t.test(`simulation: ${SEEDS} seeds break no law`, async (t) => {
  const counts = new Map<string, number>();
  const reached = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const report = await simulate(seed).catch((error: Error) => error);
    if (report instanceof Error) {
      t.fail(`seed ${seed}: ${report.message}; again: npm run sim -- --seed ${seed}`);
      continue;
    }
    // Each seed reports its end, because the runner ends a file that is silent.
    t.comment(`seed ${seed}: ${report.steps} steps`);
    for (const [name, count] of report.faultCounts) counts.set(name, (counts.get(name) ?? 0) + count);
    for (const [name, count] of report.reached) reached.set(name, (reached.get(name) ?? 0) + count);
  }
  for (const [name, count] of reached) t.ok(count > SEEDS / 10, `${count} ${name}`);
  t.ok(counts.size >= 30, `${counts.size} kinds of faults occurred`);
});

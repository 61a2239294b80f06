/**
 * `npm run sim`: seeds one after the other until one breaks a law or the time is over. `--seed N` runs one, exactly
 * as it ran before; `--seeds N`, `--minutes N`, `--from N` say how many. Ends with 1 when a law was broken.
 */
import { parseArgs } from 'node:util';
import { type SimReport, simulate } from './simulation.ts';

const SEEDS_USUAL = 1_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string' },
    minutes: { type: 'string' },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runOne(seed: number): Promise<SimReport | undefined> {
  try {
    return await simulate(seed);
  } catch (error) {
    say(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    say(`again: npm run sim -- --seed ${seed}`);
    return undefined;
  }
}

async function main(): Promise<number> {
  if (values.seed !== undefined) {
    const report = await runOne(Number(values.seed));
    if (report !== undefined) {
      const { faultCounts, reached, ...rest } = report;
      const counts = { faultCounts: Object.fromEntries(faultCounts), reached: Object.fromEntries(reached) };
      say(JSON.stringify({ ...rest, ...counts }, null, 1));
    }
    return report === undefined ? 1 : 0;
  }
  const begunMs = performance.now();
  const minutes = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes);
  const from = Number(values.from ?? 1);
  const most = values.minutes === undefined ? Number(values.seeds ?? SEEDS_USUAL) : Number.POSITIVE_INFINITY;
  const sums = { seeds: 0, broken: 0, simulatedMs: 0, faults: 0, files: 0, jobs: 0, commits: 0 };
  for (let seed = from; sums.seeds < most && performance.now() - begunMs < minutes * 60_000; seed++) {
    const report = await runOne(seed);
    sums.seeds += 1;
    if (report === undefined) sums.broken += 1;
    else
      for (const name of ['simulatedMs', 'faults', 'files', 'jobs', 'commits'] as const)
        sums[name] += report[name];
  }
  const took = (performance.now() - begunMs) / 60_000;
  say(
    `${sums.seeds} seeds, ${sums.broken} broke a law; ${(sums.simulatedMs / 3_600_000).toFixed(1)} simulated hours` +
      ` in ${took.toFixed(1)} minutes (${(sums.simulatedMs / 3_600_000 / took).toFixed(1)} hours a minute),` +
      ` ${sums.faults} faults (${Math.round(sums.faults / took)} a minute), ${sums.files} files, ${sums.jobs} jobs,` +
      ` ${sums.commits} commits`,
  );
  return sums.broken === 0 ? 0 : 1;
}

process.exitCode = await main();

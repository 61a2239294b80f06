/**
 * File rules against names: the evaluator (inline, pooled, and for expressions that only re2js takes) beside
 * a bare single-threaded loop over ordinary expressions. `node bench/rules.bench.ts [smoke]` prints the
 * table. Not a regression gate; the checksum keeps every run honest.
 */
import type { MatchRule } from '../src/evaluator/evaluate.ts';
import { createEvaluator, type EvaluatorOptions } from '../src/evaluator/pool.ts';

const isSmoke = process.argv.includes('smoke');
const PATHS = isSmoke ? 1_000 : 100_000;
const RULES = 10;
const ROUNDS = isSmoke ? 1 : 5;

const paths = Array.from(
  { length: PATHS },
  (_, index) => `dir${index % 10}/scene_${index}_b${index % 13}.tif`,
);
const rulesOf = (prefix: string): MatchRule[] =>
  Array.from({ length: RULES }, (_, index) => ({
    filename_regex: `${prefix}scene_\\d+_b${index}\\.(tif|h5)$`,
  }));

interface Row {
  readonly name: string;
  readonly perSecond: number;
  readonly checksum: number;
}

/** The best of some rounds, after one to warm up. */
async function measure(name: string, run: () => Promise<number> | number): Promise<Row> {
  const checksum = await run();
  let bestMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now();
    await run();
    bestMs = Math.min(bestMs, performance.now() - startedMs);
  }
  return { name, perSecond: Math.round((PATHS / bestMs) * 1000), checksum };
}

/** The peer: what one would write without thinking of hostile expressions. */
function bareLoop(): number {
  const regexes = rulesOf('').map((rule) => new RegExp(`^(?:${rule.filename_regex})`));
  let sum = 0;
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    sum += regexes.findIndex((regex) => regex.test(name));
  }
  return sum;
}

async function measureEvaluator(name: string, prefix: string, options: EvaluatorOptions): Promise<Row> {
  const evaluator = createEvaluator({ deadlineMs: 60_000, ...options });
  const set = { key: name, rules: rulesOf(prefix) };
  try {
    return await measure(name, async () =>
      (await evaluator.matchRules(set, paths)).reduce((sum, one) => sum + one, 0),
    );
  } finally {
    await evaluator.close();
  }
}

const rows = [
  await measure('bare loop, one thread', bareLoop),
  await measureEvaluator('evaluator, calling thread', '', { inlineBudgetMs: 60_000 }),
  await measureEvaluator('evaluator, 1 thread', '', { threads: 1, inlineBudgetMs: 0 }),
  await measureEvaluator('evaluator, 2 threads', '', { threads: 2, inlineBudgetMs: 0 }),
  await measureEvaluator('evaluator as configured', '', {}),
  await measureEvaluator('evaluator, re2js, 2 threads', '(?i)', { threads: 2 }),
];
const base = rows[0]?.perSecond ?? 1;
process.stdout.write(`${PATHS} paths, ${RULES} rules\n`);
for (const { name, perSecond, checksum } of rows) {
  const factor = (perSecond / base).toFixed(2);
  process.stdout.write(
    `${name.padEnd(30)} ${String(perSecond).padStart(10)} paths/s  ${factor} x  (${checksum})\n`,
  );
}

/**
 * File rules against names, paths a second: cheap expressions, expensive ones (only re2js takes them, some 20 us a
 * path), and expensive ones with hostile expressions among them; and how long the calling thread's event loop was held
 * meanwhile.
 *
 * Beside it a bare loop over the same rules in one thread: the engine of the language for the cheap ones (hostile
 * expressions would hold it for ever), re2js for the others.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { compileRules, firstMatch, type MatchRule } from '../../src/evaluator/evaluate.ts';
import { createEvaluator } from '../../src/evaluator/pool.ts';
import { type Bench, ratioOf, runBench } from '../harness/bench.ts';
import { median } from '../harness/figures.ts';
import { OWN_METER, rate } from '../harness/meter.ts';

const RULES = 10;
/** So that each path takes re2js some 20 us. */
const EXPENSIVE_RULES = 60;
const NS_PER_MS = 1_000_000;
const EVALUATOR = 'evaluator';
const LOOP = 'bare loop, one thread';

const rulesOf = (prefix: string, count: number): MatchRule[] =>
  Array.from({ length: count }, (_, index) => ({
    filename_regex: `${prefix}scene_\\d+_b${index}\\.(tif|h5)$`,
  }));
/** Exponential, or worse, for an engine that goes back. */
const HOSTILE = ['^(a+)+$', '^(a{1,30}){1,30}$', '(?i)^(([a-z])+.)+[A-Z]([a-z])+$'];

interface Kind {
  readonly title: string;
  readonly rules: readonly MatchRule[];
  readonly isHostile: boolean;
  /** The wanted ratio of the evaluator to the loop. */
  readonly wanted: number;
}

const KINDS: readonly Kind[] = [
  { title: 'Cheap', rules: rulesOf('', RULES), isHostile: false, wanted: 0.9 },
  { title: 'Expensive', rules: rulesOf('(?i)', EXPENSIVE_RULES), isHostile: false, wanted: 1.5 },
  {
    ...{ title: 'Expensive, with hostile ones', isHostile: true, wanted: 1.5 },
    rules: [...HOSTILE.map((filename_regex) => ({ filename_regex })), ...rulesOf('(?i)', EXPENSIVE_RULES)],
  },
];

/** What one would write without thinking of hostile expressions. */
function nativeLoop(rules: readonly MatchRule[], paths: readonly string[]): number {
  const regexes = rules.map((rule) => new RegExp(`^(?:${rule.filename_regex})`));
  let sum = 0;
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    sum += regexes.findIndex((regex) => regex.test(name));
  }
  return sum;
}

function re2Loop(rules: readonly MatchRule[], paths: readonly string[]): number {
  const compiled = compileRules(rules);
  return paths.reduce((sum, path) => sum + firstMatch(compiled, path), 0);
}

function pathsOf(count: number, isHostile: boolean): string[] {
  return Array.from({ length: count }, (_, index) =>
    isHostile && index % 10 === 0
      ? `dir${index % 7}/${'a'.repeat(30)}!`
      : `dir${index % 10}/scene_${index}_b${index % 73}.tif`,
  );
}

async function measure(bench: Bench, kind: Kind, count: number): Promise<readonly (string | number)[]> {
  const { title, rules, isHostile, wanted } = kind;
  const paths = pathsOf(count, isHostile);
  const evaluator = createEvaluator({ deadlineMs: 60_000 });
  const loop = title === 'Cheap' ? nativeLoop : re2Loop;
  const expected = loop(rules, paths);
  const delays: number[] = [];
  const pooled = async (): Promise<void> => {
    const monitor = monitorEventLoopDelay({ resolution: 1 });
    monitor.enable();
    const found = await evaluator.matchRules({ key: title, rules }, paths);
    monitor.disable();
    delays.push(monitor.percentile(99) / NS_PER_MS);
    const sum = found.reduce((all, one) => all + one, 0);
    if (sum !== expected) throw new Error(`${title}: ${sum}, not ${expected}`);
  };
  try {
    const rows = await bench.compare({
      ...{ title: `${title}, ${rules.length} rules`, unit: 'paths/s', each: 'path' },
      subjects: [
        { name: EVALUATOR, remark: 'as configured: 2 threads', work: () => rate(count, OWN_METER, pooled) },
        { name: LOOP, isPeer: true, work: () => rate(count, OWN_METER, () => void loop(rules, paths)) },
      ],
    });
    const measured = ratioOf(rows, EVALUATOR, LOOP);
    bench.aim({ text: `${title}: ${EVALUATOR} / ${LOOP}`, measured, wanted, bound: 'least', unit: 'x' });
    return [title, median(delays)];
  } finally {
    await evaluator.close();
  }
}

await runBench(import.meta.filename, async (bench) => {
  const cheap = bench.parameter('paths', 1_000, 100_000);
  const expensive = bench.parameter('expensive-paths', 200, 20_000);
  const rows = [];
  for (const kind of KINDS) rows.push(await measure(bench, kind, kind.title === 'Cheap' ? cheap : expensive));
  bench.add({ kind: 'figures', title: 'Event loop of the caller', columns: ['', 'delay p99, ms'], rows });
  const measured = Math.max(...rows.map((row) => Number(row[1])));
  bench.aim({ text: 'event-loop delay p99, worst', measured, wanted: 5, bound: 'most', unit: 'ms' });
});

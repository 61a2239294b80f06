/**
 * Data filters: evaluations a second (as conditions run them, with reasons) beside a bare loop that has the same
 * comparisons written out by hand. `node bench/filters.bench.ts [smoke]`. Not a regression gate; the checksum keeps
 * both honest.
 */
import type { DataFilter, Filter } from '../src/domain/filter/filter.ts';
import { evaluateFilter, type FilterData } from '../src/domain/filter/filter-evaluate.ts';
import { createEvaluator } from '../src/evaluator/pool.ts';

const isSmoke = process.argv.includes('smoke');
const COUNT = isSmoke ? 2_000 : 200_000;
const ROUNDS = isSmoke ? 1 : 5;

const entry = (over: Pick<Filter, 'name' | 'type' | 'condition' | 'values'>): Filter => ({
  ...over,
  all_fields: true,
  all_files: false,
});
const filter: DataFilter = {
  all: true,
  filters: [
    entry({ name: 'BYTES', type: 'integer', condition: '<', values: [500] }),
    entry({ name: 'MODE', type: 'string', condition: 'in', values: ['fast', 'full'] }),
    entry({ name: 'IMAGE', type: 'media-type', condition: '==', values: ['image/tiff'] }),
    entry({ name: 'IMAGE', type: 'filename', condition: 'contains', values: ['_b1'] }),
  ],
};
const data: readonly FilterData[] = Array.from({ length: COUNT }, (_, at) => ({
  json: { BYTES: at % 1_000, MODE: at % 3 === 0 ? 'slow' : 'fast' },
  files: {
    IMAGE: [{ fileName: `scene_b${at % 7}.tif`, mediaType: 'image/tiff', dataTypes: [], metaData: null }],
  },
}));

/** The peer: no reasons, no kinds of filters, no missing values. */
function bareLoop(): number {
  let accepted = 0;
  for (const { json, files } of data) {
    const { BYTES, MODE } = json as { BYTES: number; MODE: string };
    const isSome = (files.IMAGE ?? []).some((file) => file.mediaType === 'image/tiff');
    const isNamed = (files.IMAGE ?? []).some((file) => file.fileName.includes('_b1'));
    if (500 < BYTES && (MODE === 'fast' || MODE === 'full') && isSome && isNamed) accepted += 1;
  }
  return accepted;
}

async function measure(name: string, run: () => number | Promise<number>): Promise<void> {
  const accepted = await run();
  let bestMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now();
    await run();
    bestMs = Math.min(bestMs, performance.now() - startedMs);
  }
  const perSecond = Math.round((COUNT / bestMs) * 1_000);
  process.stdout.write(
    `${name.padEnd(28)} ${String(perSecond).padStart(11)} filters/s  (${accepted} accepted)\n`,
  );
}

process.stdout.write(`${COUNT} times ${filter.filters.length} filters\n`);
await measure('bare loop', bareLoop);
await measure('evaluation', () => data.filter((one) => evaluateFilter(filter, one).isAccepted).length);
const evaluator = createEvaluator({ deadlineMs: 60_000 });
await measure('evaluator, 100 at a time', async () => {
  let accepted = 0;
  for (let at = 0; at < COUNT; at += 100) {
    const tasks = data.slice(at, at + 100).map((one) => ({ filter, data: one }));
    const verdicts = await evaluator.evaluateFilters(tasks);
    accepted += verdicts.filter((verdict) => verdict?.isAccepted === true).length;
  }
  return accepted;
});
await evaluator.close();

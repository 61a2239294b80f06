/**
 * Evaluations of data filters a second, as conditions run them, with reasons.
 *
 * Beside it the evaluation alone, in a loop that makes the same lists of verdicts; and a bare loop with the same
 * comparisons written out by hand: no reasons, no kinds of filters, no missing values.
 */
import type { DataFilter, Filter } from '../../src/domain/filter/filter.ts';
import type { FilterData, FilterVerdict } from '../../src/domain/filter/filter-evaluate.ts';
import { evaluateFilters, type FilterTask } from '../../src/evaluator/evaluate.ts';
import { createEvaluator } from '../../src/evaluator/pool.ts';
import { ratioOf, runBench } from '../harness/bench.ts';
import { OWN_METER, rate } from '../harness/meter.ts';

const EACH = 100;
/** Examined again and again, so that a run is long enough for the clocks and memory is not what is measured. */
const DATA = 20_000;

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
const one = (at: number): FilterData => ({
  json: { BYTES: at % 1_000, MODE: at % 3 === 0 ? 'slow' : 'fast' },
  files: {
    IMAGE: [{ fileName: `scene_b${at % 7}.tif`, mediaType: 'image/tiff', dataTypes: [], metaData: null }],
  },
});

function bareLoop(data: readonly FilterData[]): number {
  let accepted = 0;
  for (const { json, files } of data) {
    const { BYTES, MODE } = json as { BYTES: number; MODE: string };
    const isSome = (files.IMAGE ?? []).some((file) => file.mediaType === 'image/tiff');
    const isNamed = (files.IMAGE ?? []).some((file) => file.fileName.includes('_b1'));
    if (500 < BYTES && (MODE === 'fast' || MODE === 'full') && isSome && isNamed) accepted += 1;
  }
  return accepted;
}

await runBench(import.meta.filename, async (bench) => {
  const size = bench.parameter('data', 1_000, DATA);
  const rounds = bench.parameter('rounds', 2, 100);
  const data = Array.from({ length: size }, (_, at) => one(at));
  const tasks = data.map((each): FilterTask => ({ filter, data: each }));
  const accepted = bareLoop(data);
  const evaluator = createEvaluator({ deadlineMs: 60_000 });
  const counted = (verdicts: readonly FilterVerdict[]) => verdicts.filter((one) => one.isAccepted).length;
  const pooled = async (): Promise<number> => {
    let sum = 0;
    for (let at = 0; at < size; at += EACH) {
      sum += counted(await evaluator.evaluateFilters(tasks.slice(at, at + EACH)));
    }
    return sum;
  };
  const alone = (): number => {
    let sum = 0;
    for (let at = 0; at < size; at += EACH) sum += counted(evaluateFilters(tasks.slice(at, at + EACH)));
    return sum;
  };
  const subject = (name: string, run: () => number | Promise<number>) => ({
    name,
    work: () =>
      rate(size * rounds, OWN_METER, async () => {
        for (let round = 0; round < rounds; round += 1) {
          const found = await run();
          if (found !== accepted) throw new Error(`${name} accepted ${found}, not ${accepted}`);
        }
      }),
  });
  try {
    const rows = await bench.compare({
      ...{ title: `${filter.filters.length} filters each`, unit: 'evaluations/s', each: 'evaluation' },
      subjects: [
        subject(`evaluator, ${EACH} at a time`, pooled),
        subject('evaluation alone', alone),
        { ...subject('bare loop', () => bareLoop(data)), isPeer: true },
      ],
    });
    bench.aim({
      ...{ text: 'evaluator / evaluation alone, cheap work', wanted: 0.9, bound: 'least', unit: 'x' },
      measured: ratioOf(rows, `evaluator, ${EACH} at a time`, 'evaluation alone'),
    });
  } finally {
    await evaluator.close();
  }
});

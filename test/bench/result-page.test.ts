/** The page of a result: medians, ratios of runs, costs of one item, missed aims. */
import t from 'tap';
import { median, percentile, ratios, written, writtenRange } from '../../bench/harness/figures.ts';
import type { Result } from '../../bench/harness/results/result.ts';
import { indexOf, pageOf } from '../../bench/harness/results/result-page.ts';
import { plotOf } from '../../bench/harness/results/result-plot.ts';
import { addedTo, keepResult } from '../../bench/harness/results/result-store.ts';

const OURS = {
  ...{ name: 'Millrace', isPeer: false },
  samples: [
    { value: 100, count: 10, cpu: { coordinator: 0.2, postgres: 0.1 }, walBytes: 5_000 },
    { value: 400, count: 10, cpu: { coordinator: 0.4, postgres: 0.1 }, walBytes: 7_000 },
    { value: 200, count: 10, cpu: { coordinator: 0.3, postgres: 0.1 }, walBytes: 6_000 },
  ],
};
const PEER = {
  ...{ name: 'peer', isPeer: true, remark: 'keeps | nothing' },
  samples: [50, 100, 200].map((value) => ({ value, count: 10, cpu: { own: 0.1 } })),
};
const GONE = { name: 'gone', isPeer: true, samples: [], missing: 'no gone (Debian: gone)' };
const RESULT: Result = {
  ...{
    name: 'some',
    about: 'Measures something.',
    command: 'npm run bench -- some',
    date: '2026-01-01T00:00Z',
  },
  facts: [['load before (1, 5, 15 min)', '1 2 3']],
  parts: [{ kind: 'comparison', title: 'Things', unit: 'things/s', each: 'thing', rows: [OURS, PEER, GONE] }],
  aims: [
    { text: 'fast', measured: 150, wanted: 300, bound: 'least', unit: 'things/s' },
    { text: 'small', measured: 50, wanted: 60, bound: 'most', unit: 'MiB' },
    { text: 'unknown', measured: Number.NaN, wanted: 1, bound: 'most', unit: 'x' },
  ],
  notes: ['A note.'],
};

t.test('store: an added run replaces only the parts that it has measured again', async (t) => {
  const folder = t.testdir({});
  const part = (title: string, about: string) => ({
    ...({ kind: 'figures', title, columns: ['', 'ms'] } as const),
    rows: [[about, 1]],
  });
  const aim = (text: string, measured: number) =>
    ({ text, measured, wanted: 2, bound: 'most', unit: 'x' }) as const;
  const run = (kind: string, size: number, measured: number): Result => ({
    ...RESULT,
    parts: [part(`${kind}: ${size} rows`, String(measured))],
    aims: [aim(`${kind}: growth`, measured)],
  });
  t.strictSame(addedTo(folder, run('files', 10, 1)), run('files', 10, 1), 'to nothing');
  for (const one of [run('files', 10, 1), run('jobs', 10, 2), run('files', 10, 3)]) {
    await keepResult(folder, addedTo(folder, one));
  }
  const kept = addedTo(folder, run('files', 20, 4));
  t.strictSame(
    kept.parts.map(({ title }) => title),
    ['jobs: 10 rows', 'files: 10 rows', 'files: 20 rows'],
  );
  t.strictSame(
    kept.aims.map(({ text, measured }) => [text, measured]),
    [
      ['jobs: growth', 2],
      ['files: growth', 4],
    ],
  );
});

t.test('store: an added run replaces the aims and notes that it has measured again', async (t) => {
  const folder = t.testdir({});
  const run = (text: string, measured: number, notes: readonly string[]): Result => ({
    ...{ ...RESULT, parts: [], notes },
    aims: [{ text, measured, wanted: 2, bound: 'most', unit: 'x' }],
  });
  await keepResult(folder, run('slowest', 1, ['Read by 5 readers: 3 ms.', 'Written by 5 writers: 3 ms.']));
  const kept = addedTo(folder, run('slowest', 2, ['Read by 9 readers: 4 ms.']));
  t.strictSame(
    kept.aims.map(({ measured }) => measured),
    [2],
  );
  t.strictSame(kept.notes, ['Written by 5 writers: 3 ms.', 'Read by 9 readers: 4 ms.']);
});

t.test('figures: medians, percentiles and ratios are calculated', async (t) => {
  t.equal(median([3, 1, 2]), 2);
  t.equal(median([4, 1, 2, 3]), 2.5);
  t.equal(percentile([5, 1, 4, 2, 3], 0.99), 5);
  t.equal(percentile([5, 1, 4, 2, 3], 0.5), 3);
  t.strictSame(ratios([10, 20, 30], [5, 40]), [2, 0.5]);
});

t.test('figures: numbers are written with three digits', async (t) => {
  t.strictSame([12_345, 45.64, 0.07891, 0, Number.NaN].map(written), ['12,300', '45.6', '0.0789', '0', '–']);
  t.equal(writtenRange([3, 1, 2]), '2 (1–3)');
  t.equal(writtenRange([7]), '7');
});

t.test(
  'page: it has medians with ranges, ratios of runs, costs of one item, and missing subjects',
  async (t) => {
    const page = pageOf(RESULT, new Set([0]));

    const lines = page.split('\n').filter((line) => line.startsWith('|'));
    t.match(
      lines.find((line) => line.startsWith('| Millrace')),
      '| 200 (100–400) |  | 40 (coordinator 30, postgres 10) |  | 600 |',
    );
    t.match(
      lines.find((line) => line.startsWith('| peer')),
      '| 100 (50–200) | 2 (1–4) | 10 | 0.25 |  | keeps \\| nothing |',
    );
    t.match(
      lines.find((line) => line.startsWith('| gone')),
      '| missing |  |  |  |  | no gone (Debian: gone) |',
    );
    t.match(page, '![Things](some-1.svg)');
    t.match(page, '- command: `npm run bench -- some`');
  },
);

t.test('page: aims are met, missed by a factor, or not measured', async (t) => {
  const page = pageOf(RESULT, new Set());
  t.match(page, '| fast | at least 300 things/s | 150 things/s | missed by 2 x |');
  t.match(page, '| small | at most 60 MiB | 50 MiB | met |');
  t.match(page, '| unknown | at most 1 x | – x | not measured |');
  t.notMatch(page, '.svg');
});

t.test('index: a line for each aim, or the first figure of a result without one', async (t) => {
  const index = indexOf([RESULT, { ...RESULT, name: 'other', aims: [] }]);
  t.equal(index.split('\n').filter((line) => line.includes('(some.md)')).length, 3);
  t.match(index, '| [other](other.md) | Millrace: 200 things/s |');
});

t.test('plot: a subject with figures has a bar, one without has none', async (t) => {
  const [part] = RESULT.parts;
  const plot = part === undefined ? '' : ((await plotOf(part)) ?? '');
  t.match(plot, /^<svg/);
  t.match(plot, 'peer');
  t.notMatch(plot, 'gone');
  t.equal(await plotOf({ kind: 'figures', title: 'x', columns: [], rows: [] }), undefined);
});

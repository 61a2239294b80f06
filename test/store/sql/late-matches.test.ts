/** Lists whose rows lie at the end of their order: all rows before them are not read to find them. */
import t from 'tap';
import { apiDeps } from '../../../src/api/deps.ts';
import { apiRoutes } from '../../../src/api/resources.ts';
import { makeCaller } from '../../support/http.ts';
import { idleParts } from '../../support/idle-parts.ts';
import { listRows } from '../../support/worlds/lists/list-rows.ts';
import { storeWorld } from '../store-world.ts';
import { type HeardStatement, heardSql } from './heard-sql.ts';

const ROWS = 20_000;
const HOUR_MS = 3_600_000;
const world = await storeWorld(t);
for (const { insert } of listRows(world, ROWS)) await world.rows(insert);
await world.rows('vacuum analyze job, file, recipe');

const asked: HeardStatement[] = [];
const sql = heardSql(world.db.sql, (heard) => void asked.push(heard));
const caller = makeCaller(apiRoutes('any'), apiDeps(idleParts(sql)), { nowMs: Date.now });

/** Rows are an hour apart; the newest is of now. */
const ago = (rows: number) => new Date(Date.now() - rows * HOUR_MS).toISOString();

/** How many rows the statements that find the ids of a page read in vain, and how many their scans find. */
async function readInVain(
  target: string,
): Promise<{ readonly count: number; readonly ids: number[]; rows: number; readonly found: number }> {
  asked.length = 0;
  const { json } = await caller.get(target);
  const finds = asked.filter(({ text }) => /limit \$\d+ offset \$\d+\s*$/.test(text));
  let rows = 0;
  let found = 0;
  for (const { text, params } of finds) {
    const plan = await world.db.sql.execute<{ 'QUERY PLAN': string }>(`explain (analyze) ${text}`, params);
    for (const { 'QUERY PLAN': line } of plan) {
      rows += Number(/Rows Removed by Filter: (\d+)/.exec(line)?.[1] ?? 0);
      if (/ Scan /.test(line)) found += Number(/ rows=([\d.]+) loops/.exec(line)?.[1] ?? 0);
    }
  }
  t.equal(finds.length, 1, target);
  return { count: json.count, ids: json.results.map(({ id }: { id: number }) => id), rows, found };
}

for (const [path, started, ended] of [
  ['/v6/jobs/', 'source_started', 'source_ended'],
  ['/v6/recipes/', 'source_started', 'source_ended'],
  ['/v6/files/', 'created_started', 'created_ended'],
] as const) {
  t.test(`${path}: matches at the end of the order are found by their own index`, async (t) => {
    for (const [query, isNewestFirst] of [
      [`${started}=${ago(3_000)}&order=last_modified`, false],
      [`${ended}=${ago(ROWS - 3_000)}&order=-last_modified`, true],
      [`${started}=${ago(9_000)}&${ended}=${ago(7_000)}&order=id`, false],
    ] as const) {
      const { count, ids, rows } = await readInVain(`${path}?${query}`);
      t.ok(count > 100, query);
      t.ok(rows < ROWS / 10, `${query}: ${rows} rows were read in vain for ${count}`);
      const sorted = ids.toSorted((one, other) => (isNewestFirst ? other - one : one - other));
      t.strictSame(ids, sorted, `${query}: in their order`);
    }
  });
}

t.test('files: many matches are not all read for a page, which begins where the first can be', async (t) => {
  const target = `/v6/files/?created_started=${ago(6_000)}&order=last_modified`;
  const { count, ids, rows, found } = await readInVain(target);
  t.equal(count, 6_000);
  t.strictSame(
    ids,
    Array.from({ length: 100 }, (_, at) => ROWS - 6_000 + 1 + at),
  );
  t.ok(rows + found < 1_000, `${rows} rows were read in vain, ${found} found`);
});

t.test(
  'jobs: one match in ten is looked for from the first on, and not sorted with all others',
  async (t) => {
    const target = `/v6/jobs/?source_started=${ago(15_000)}&order=last_modified&page_size=10`;
    const { count, ids, rows, found } = await readInVain(target);
    t.ok(count > 1_000);
    t.equal(ids.length, 10);
    t.ok(rows + found < 300, `${rows} rows were read in vain, ${found} found`);
  },
);

t.test('jobs: an early one with late data does not make all rows after it be read', async (t) => {
  await world.rows('update job set source_started = now() where id = 11');
  t.teardown(() => world.rows('update job set source_started = created where id = 11'));
  const { count, ids, rows } = await readInVain(
    `/v6/jobs/?source_started=${ago(3_000)}&order=last_modified&page_size=9`,
  );
  t.ok(count > 300);
  t.equal(ids[0], 11);
  t.equal(ids.length, 9);
  t.ok(rows < 1_000, `${rows} rows were read in vain`);
});

t.test('jobs: those of a trial are found by their own index to be left out of a count', async (t) => {
  const { type2 } = world.ids;
  await world.rows(`update job_type set expires = now() + interval '1 hour', tried_by = 1, deleted = now()
    where id = ${type2}`);
  const [from, to] = [ago(15_000), ago(100)];
  const [expected] = await world.rows<{ all: number; tried: number }>(
    `select count(*)::int as all, (count(*) filter (where job_type_id = ${type2}))::int as tried
     from job where source_started >= '${from}' and source_ended <= '${to}'`,
  );
  const { all, tried } = expected ?? { all: 0, tried: 0 };
  t.ok(tried > 0 && all > 1_000);
  asked.length = 0;
  const { json } = await caller.get(`/v6/jobs/?source_started=${from}&source_ended=${to}&page_size=1`);
  t.equal(json.count, all - tried);
  const count = asked.find(({ text }) => text.includes('count(*)'));
  const plan = await world.rows<{ 'QUERY PLAN': string }>(`explain (analyze) ${count?.text}`, count?.params);
  const lines = plan.map((row) => row['QUERY PLAN']);
  const removed = lines.map((line) => Number(/Rows Removed by Filter: (\d+)/.exec(line)?.[1] ?? 0));
  t.ok(Math.max(...removed) < 100, lines.join('\n'));
});

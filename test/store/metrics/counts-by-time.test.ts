/**
 * Lists by time and by country are counted as their rows say: whole spans by counters, the ends of the range by rows,
 * and without the work of trials.
 */
import pg from 'pg';
import t, { type Test } from 'tap';
import { apiDeps } from '../../../src/api/deps.ts';
import { apiRoutes } from '../../../src/api/resources.ts';
import { foldListCounts } from '../../../src/store/metrics/list-counts.ts';
import { MIGRATION_FILES } from '../../../src/store/migration-list.ts';
import { testDatabase } from '../../support/db.ts';
import { makeCaller } from '../../support/http.ts';
import { idleParts } from '../../support/idle-parts.ts';
import { heardSql } from '../sql/heard-sql.ts';
import { type StoreWorld, storeWorld } from '../store-world.ts';
import { countedBy, lateLeast, RECOUNTED_DAYS, recountedBy } from './recount.ts';

const ROWS = 400;
const BEGIN = Date.UTC(2026, 0, 5, 10);
const MINUTE_MS = 60_000;
const at = (minutes: number) => new Date(BEGIN + minutes * MINUTE_MS).toISOString();
/** A row every seven minutes from the beginning; some lie just at the start of a span. */
const MODIFIED = `timestamptz '${at(0)}' + i * interval '7 minutes'`;

const world = await storeWorld(t);
const asked: string[] = [];
const sql = heardSql(world.db.sql, ({ text }) => void asked.push(text));
const caller = makeCaller(apiRoutes('any'), apiDeps(idleParts(sql)), { nowMs: () => BEGIN });

/** Statements that insert the rows. */
function rowsFor(ids: Pick<StoreWorld['ids'], 'type' | 'type2' | 'rev' | 'recipeType' | 'recipeRev' | 'in'>) {
  const type = `case when i % 5 = 0 then ${ids.type2} else ${ids.type} end`;
  return [
    `insert into event (id, type, occurred) values (1, 'USER', now()) on conflict do nothing`,
    `insert into job (shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status, max_tries, priority,
       created, last_status_change, last_modified, source_started, source_ended)
     select 1, 'job', i, ${type}, ${ids.rev}, 1, 'PENDING', 1, 1, now(), now(), ${MODIFIED}, ${MODIFIED}, ${MODIFIED}
     from generate_series(0, ${ROWS - 1}) i`,
    `insert into recipe (shard, root_id, chain_id, recipe_type_id, recipe_type_rev_id, event_id, created,
       last_modified, is_completed, jobs_running, jobs_failed, source_started, source_ended)
     select 1, i, i, ${ids.recipeType}, ${ids.recipeRev}, 1, now(), ${MODIFIED}, i % 4 = 0, i % 2, i % 3,
       case when i % 3 > 0 then ${MODIFIED} end, case when i % 5 > 0 then ${MODIFIED} end
     from generate_series(0, ${ROWS - 1}) i`,
    `insert into ingest (file_name, status, workspace_id, file_path, media_type, created, last_modified)
     select 'n', 'TRANSFERRED', ${ids.in}, 'p/' || i, 'text/plain', now(), ${MODIFIED}
     from generate_series(0, ${ROWS - 1}) i`,
    `insert into file (uuid, file_type, file_name, file_path, file_size, media_type, workspace_id, job_type_id,
       countries, created, last_modified, data_started, data_ended, source_started, source_ended)
     select gen_random_uuid(), 'PRODUCT', 'n', 'p/' || i, 1, 'text/plain', ${ids.in},
       case when i % 7 > 0 then ${type} end,
       case i % 4 when 0 then '{}' when 1 then '{FRA}' when 2 then '{FRA,DEU,FRA}' else '{DEU}' end::text[],
       ${MODIFIED}, ${MODIFIED}, case when i % 3 > 0 then ${MODIFIED} end, case when i % 5 > 0 then ${MODIFIED} end,
       case when i % 6 > 0 then ${MODIFIED} end, case when i % 9 > 0 then ${MODIFIED} end
     from generate_series(0, ${ROWS - 1}) i`,
  ];
}
for (const insert of rowsFor(world.ids)) await world.rows(insert);

/** In minutes from the beginning: within a span, at and beside the starts of spans, over one, many and all. */
const RANGES: readonly (readonly [from: number | undefined, to: number | undefined])[] = [
  ...([1, 9, 10, 70, 71, 2_000] as const).map((from) => [from, undefined] as const),
  ...([-1, 0, 9, 10, 70, 139, 140, 2_000] as const).map((to) => [undefined, to] as const),
  ...([
    [1, 2],
    [0, 10],
    [7, 14],
    [10, 20],
    [69, 141],
    [70, 140],
    [71, 139],
    [3, 2_500],
    [-100, 9_999],
  ] as const),
  [700, 600],
];

/** Compares the count with the rows of the list, and says whether counters by time or country were read. */
async function isCounted(
  t: Test,
  path: string,
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
) {
  asked.length = 0;
  const given = Object.entries(query).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const targetOf = (size: string) =>
    `${path}?${new URLSearchParams([...given, ['order', 'last_modified'], ['page_size', size]])}`;
  const target = targetOf('1000');
  const { status, json } = await caller.get(target);
  if (json.errors?.[0]?.name === 'REVERSED_RANGE') return undefined;
  t.equal(status, 200, target);
  t.equal(json.count, json.results.length, target);
  const isBySpan = asked.some((text) => /kind = '\w+_(time|country|created|started|ended)'/.test(text));
  // A short page is found where the first row that matches can be.
  const { json: some } = await caller.get(targetOf('2'));
  t.equal(some.count, json.count, target);
  t.strictSame(some.results, json.results.slice(0, 2), target);
  return isBySpan;
}

async function countsAsListed(t: Test): Promise<void> {
  for (const [path, started, ended] of [
    ...['jobs', 'recipes', 'ingests'].map((name) => [`/v6/${name}/`, 'started', 'ended'] as const),
    ...['modified', 'created'].map((name) => ['/v6/files/', `${name}_started`, `${name}_ended`] as const),
    ...['/v6/files/', '/v6/jobs/', '/v6/recipes/'].map(
      (path) => [path, 'source_started', 'source_ended'] as const,
    ),
    ['/v6/files/', 'data_started', 'data_ended'] as const,
  ]) {
    for (const [from, to] of RANGES) {
      const [start, end] = [from === undefined ? undefined : at(from), to === undefined ? undefined : at(to)];
      const isBySpan = await isCounted(t, path, { [started]: start, [ended]: end });
      if (isBySpan === undefined) continue;
      const hasSpan = Math.ceil((from ?? -1e9) / 10) < Math.floor((to ?? 1e9) / 10);
      // Those of the data are instants of two columns.
      const isOfOne = !/source|data/.test(started) || start === undefined || end === undefined;
      t.equal(isBySpan, hasSpan && isOfOne, `${path} ${started} ${from} ${to}: counters`);
      // Other conditions are of no counter by time.
      const other =
        path === '/v6/recipes/'
          ? { is_completed: 'true' }
          : path === '/v6/files/'
            ? { file_type: 'PRODUCT' }
            : undefined;
      if (other) t.equal(await isCounted(t, path, { [started]: start, [ended]: end, ...other }), false);
    }
  }
  for (const country of ['FRA', 'DEU', 'ITA']) {
    t.equal(await isCounted(t, '/v6/files/', { countries: country }), true);
    t.equal(await isCounted(t, '/v6/files/', { countries: country, job_type_name: 'type-b' }), true);
  }
  t.equal(await isCounted(t, '/v6/files/', { countries: ['FRA', 'DEU'] }), false);
  await isCounted(t, '/v6/jobs/', { source_ended: at(700) });
  await isCounted(t, '/v6/jobs/', { waits_for: 'input' });
  await isCounted(t, '/v6/jobs/', { job_type_name: 'none such' });
  await isCounted(t, '/v6/jobs/', { job_type_name: 'type-b', started: at(100) });
  for (const state of ['FAILED', 'RUNNING', 'PENDING', ['FAILED', 'RUNNING']])
    await isCounted(t, '/v6/recipes/', { state });
}

t.test('counts by time: they are those of the rows', countsAsListed);

t.test('counts by time: after folding, changes and removals', async (t) => {
  await world.rows(`update job set last_modified = last_modified + interval '3 hours' where id % 3 = 0`);
  await world.rows(`update file set last_modified = last_modified - interval '3 hours', countries = '{ITA}'
    where id % 5 = 0`);
  await foldListCounts(world.db.sql);
  await world.rows(`update file set last_modified = last_modified - interval '9 hours' where id % 13 = 0`);
  await world.rows(`update recipe set last_modified = last_modified + interval '1 minute'`);
  await world.rows(`update job set source_started = null, source_ended = source_ended + interval '1 day'
    where id % 11 = 0`);
  await world.rows(`update recipe set source_started = created where source_started is null`);
  await world.rows(`update file set data_ended = data_ended + interval '50 hours', source_started = null
    where id % 3 = 0`);
  await world.rows('delete from ingest where id % 3 = 0');
  await world.rows('delete from file where id % 7 = 0');
  await countsAsListed(t);
  const kinds = '_(time|country|created|started|ended)$';
  t.strictSame(await countedBy(world.rows, kinds), await recountedBy(world.rows, kinds));
  await hasCountedDays(t, world.rows);
  await foldListCounts(world.db.sql);
  await hasCountedDays(t, world.rows);
  await countsAsListed(t);
});

/** Days add up the spans that are folded, and no counter says that its rows were modified later than they were. */
async function hasCountedDays(t: Test, rows: (text: string) => Promise<unknown>): Promise<void> {
  const days = 'select kind, day::int, count::int from list_day_count where count <> 0';
  const counted = await rows(`${days} order by 1, 2`);
  t.ok((counted as unknown[]).length > 10);
  t.strictSame(counted, await rows(`select kind, day, count from (${RECOUNTED_DAYS}) as d order by 1, 2`));
  t.strictSame(await lateLeast(rows), []);
  const later = `select kind, day from (${RECOUNTED_DAYS}) as s join list_day_count as d using (kind, day)
    where s.least is distinct from d.least and (d.least is null or d.least > s.least)`;
  t.strictSame(await rows(later), []);
}

t.test('counts by time: two that fold at once do not forget when rows were modified', async (t) => {
  const add = (name: string, minutes: number) =>
    world.rows(`insert into file (uuid, file_type, file_name, file_path, file_size, media_type, workspace_id, created,
        last_modified, data_started)
      values (gen_random_uuid(), 'SOURCE', '${name}', 'once/${name}', 1, 'text/plain', ${world.ids.in},
        '${at(99_000)}', '${at(minutes)}', '${at(99_000)}')`);
  await foldListCounts(world.db.sql);
  await add('first', 99_000);
  await foldListCounts(world.db.sql);
  await add('removed', 99_100);
  await world.db.sql.transaction(async (other) => {
    await other.execute('select id from list_count_delta for update');
    await world.rows(`delete from file where file_name = 'removed'`);
    await foldListCounts(world.db.sql);
  });
  await foldListCounts(world.db.sql);
  await add('last', 99_200);
  await foldListCounts(world.db.sql);
  t.strictSame(await lateLeast(world.rows), []);
  await isCounted(t, '/v6/files/', { data_started: at(98_000) });
  await world.rows(`delete from file where file_path like 'once/%'`);
});

t.test('counts by time: the work of trials is in none', async (t) => {
  await world.rows(`update job_type set expires = now() + interval '1 hour', tried_by = 1,
    deleted = now() where id = ${world.ids.type2}`);
  const { json } = await caller.get('/v6/jobs/?page_size=1');
  t.equal(json.count, (ROWS * 4) / 5);
  await countsAsListed(t);
});

t.test('counts by time: the rows of a database of before are counted by the migrations', async (t) => {
  const client = new pg.Client({ connectionString: await testDatabase(t) });
  await client.connect();
  t.teardown(() => client.end());
  const rows = async (text: string) => (await client.query(text)).rows;
  const kinds = '_(time|country|created|started|ended)$';
  const at = MIGRATION_FILES.findIndex(({ name }) => name.startsWith('0023-'));
  for (const { up } of MIGRATION_FILES.slice(0, at))
    for (const statement of up) await client.query(statement);
  await client.query('set session_replication_role = replica');
  for (const insert of rowsFor({ type: 1, type2: 2, rev: 1, recipeType: 1, recipeRev: 1, in: 1 }))
    await rows(insert);
  await client.query('reset session_replication_role');
  t.strictSame(await countedBy(rows, kinds), []);
  await client.query('begin');
  for (const { up } of MIGRATION_FILES.slice(at)) for (const statement of up) await client.query(statement);
  await client.query('commit');
  const counted = await countedBy(rows, kinds);
  t.ok((counted as unknown[]).length > 100);
  t.strictSame(counted, await recountedBy(rows, kinds));
  await hasCountedDays(t, rows);
});

/** Counters of lists are what counting the rows would give, whatever is written and whoever folds. */
import t from 'tap';
import { listJobs } from '../../../src/store/job/list.ts';
import {
  COUNTED_BATCH_JOBS,
  COUNTED_INGESTS,
  foldListCounts,
} from '../../../src/store/metrics/list-counts.ts';
import { type CountedBy, countStatement } from '../../../src/store/sql/counted.ts';
import { heardSql } from '../sql/heard-sql.ts';
import { storeWorld } from '../store-world.ts';
import { countedBy, recountedBy } from './recount.ts';

const STATUSES = ['PENDING', 'QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'];

const world = await storeWorld(t);
const { ids } = world;
const { sql } = world.db;

const counters = () => countedBy(world.rows);
const recounted = () => recountedBy(world.rows);

const addJobs = (count: number) =>
  world.rows(`insert into job (shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status, max_tries,
      priority, batch_id, created, last_status_change, last_modified)
    select 1, 'job', i, case when i % 3 = 0 then ${ids.type} else ${ids.type2} end, ${ids.rev}, 1, 'PENDING', 1, 1,
      nullif(i % 4, 0), now(), now(), now() from generate_series(1, ${count}) i`);
const addIngests = (count: number) =>
  world.rows(`insert into ingest (file_name, status, workspace_id, file_path, media_type, created, last_modified)
    select 'n', 'TRANSFERRED', ${ids.in}, 'p/' || i, 'text/plain', now(), now() from generate_series(1, ${count}) i`);
const addFiles = (from: number, to: number) =>
  world.rows(`insert into file (uuid, file_type, file_name, file_path, file_size, media_type, workspace_id, batch_id,
      created, last_modified)
    select gen_random_uuid(), 'SOURCE', 'n', 'p/' || i, 1, 'text/' || i % 3, ${ids.in}, nullif(i % 4, 0), now(), now()
    from generate_series(${from}::int, ${to}::int) i`);
const addRecipes = (count: number) =>
  world.rows(`insert into recipe (shard, root_id, chain_id, recipe_type_id, recipe_type_rev_id, event_id, batch_id,
      created, last_modified)
    select 1, i, i, ${ids.recipeType}, ${ids.recipeRev}, 1, nullif(i % 4, 0), now(), now()
    from generate_series(1, ${count}) i`);

await world.rows(`insert into event (id, type, occurred) values (1, 'USER', now()) on conflict do nothing`);

t.test('list counts: inserts, updates and deletes are counted, of concurrent statements too', async (t) => {
  await Promise.all([addJobs(50), addIngests(20), addFiles(1, 30), addRecipes(10)]);
  t.strictSame(await counters(), await recounted(), 'added');
  await Promise.all([
    ...STATUSES.map((status, at) =>
      world.rows(
        `update job set status = '${status}', class_key = 'c', queued = now(), started = now() where id % 5 = ${at}`,
      ),
    ),
    world.rows(`update ingest set status = 'INGESTED' where id % 2 = 0`),
    world.rows(`update recipe set is_completed = true where id % 3 = 0`),
    world.rows(`update file set batch_id = case when id % 2 = 0 then 9 end where id % 3 = 0`),
    foldListCounts(sql),
    foldListCounts(sql),
  ]);
  t.strictSame(await counters(), await recounted(), 'changed, while others fold');
  await world.rows(`delete from job where status = 'FAILED'`);
  await world.rows(`delete from file where media_type = 'text/1'`);
  await world.rows('delete from recipe');
  await foldListCounts(sql);
  t.strictSame(await counters(), await recounted(), 'removed');
  t.strictSame(await world.rows('select * from list_count_delta'), [], 'nothing is left to fold');
  t.strictSame(
    await world.rows('select * from list_count where count = 0'),
    [],
    'nor are counters of nothing',
  );
});

t.test('list counts: a rollback, or a change of other columns, leaves no delta', async (t) => {
  await foldListCounts(sql);
  await t.rejects(
    sql.transaction(async (tx) => {
      await tx.execute(`update job set status = 'CANCELED'`);
      throw new Error('no');
    }),
  );
  await world.rows(
    `update job set priority = priority + 1, last_modified = date_bin('10 minutes', last_modified, 'epoch')`,
  );
  t.strictSame(await world.rows('select * from list_count_delta'), []);
  t.strictSame(await counters(), await recounted());
});

t.test('list counts: an upsert counts what it inserts, and what it changes', async (t) => {
  await world.rows(`insert into file (uuid, file_type, file_name, file_path, file_size, media_type, workspace_id,
      created, last_modified)
    select gen_random_uuid(), 'SOURCE', 'n', 'p/' || i, 1, 'text/upsert', ${ids.in}, now(), now()
    from generate_series(25, 35) i
    on conflict (workspace_id, file_path) where not is_deleted and not is_superseded
      do update set media_type = excluded.media_type`);
  t.strictSame(await counters(), await recounted());
});

t.test('list counts: a list uses them, alone and combined', async (t) => {
  const none = { startedMs: undefined, endedMs: undefined };
  const filter = {
    ...{ range: none, sourceRange: none, source_sensor_class: [], source_sensor: [], source_collection: [] },
    ...{ source_task: [], status: [], job_id: [], job_type_id: [], job_type_name: [], job_type_version: [] },
    ...{ batch_id: [], recipe_id: [], error_category: [], error_id: [] },
    ...{ running_node_id: [], waits_for: [], is_superseded: undefined },
  };
  const order = [{ field: 'id', isDescending: false }] as const;
  // Some live on in another batch than they were made for, some in the same, one in none.
  await world.rows(`update job set live_recipe_id = 1, live_batch_id = 3 where batch_id in (1, 2, 3)`);
  await world.rows(
    `update job set live_batch_id = null where id = (select max(id) from job where batch_id = 1)`,
  );
  for (const one of [
    {},
    { status: ['QUEUED'] },
    { status: ['QUEUED', 'RUNNING'], job_type_id: [ids.type] },
    { job_type_name: ['type-b'], job_type_version: ['1.0.0'], is_superseded: false },
    { error_category: ['DATA'] },
    { batch_id: [2] },
    { batch_id: [3] },
    { batch_id: [1, 3, 7] },
    { status: ['COMPLETED'], job_id: [1, 2, 3, 4] },
    { batch_id: [2], job_id: [1, 2, 3, 4] },
  ]) {
    const asked: string[] = [];
    const watched = heardSql(sql, ({ text }) => void asked.push(text));
    const listed = await listJobs(watched, { ...filter, ...one }, order, { offset: 0, pageSize: 1_000 });
    t.equal(listed.count, listed.results.length, JSON.stringify(one));
    t.equal(
      asked.some((text) => /list_count/.test(text)),
      !('job_id' in one),
      'rows are counted where nothing counts them',
    );
  }
  await world.rows('update job set live_recipe_id = null, live_batch_id = null');
  t.strictSame(await counters(), await recounted());
});

t.test('list counts: of many batches, the count of one reads only its own', async (t) => {
  await sql
    .transaction(async (tx) => {
      await tx.execute(`insert into list_count (kind, facets, count)
      select 'job_batch', jsonb_build_object('batch_id', i), 1 from generate_series(1000, 20000) i`);
      await tx.execute('analyze list_count');
      const where = `where ${COUNTED_BATCH_JOBS.facets['j.batch_id']} = 1234`;
      const text = countStatement(COUNTED_BATCH_JOBS, where);
      t.strictSame(await tx.execute(text), [{ count: 1 }]);
      const plan = JSON.stringify(await tx.execute(`explain ${text}`));
      t.match(plan, /list_count_batch_idx/);
      t.notMatch(plan, /Seq Scan on list_count /);
      throw new Error('rolled back');
    })
    .catch(({ message }) => t.equal(message, 'rolled back'));
});

t.test('list counts: an absent value of facets is null', async (t) => {
  const where = (counted: CountedBy, column: string) => `where ${counted.facets[column]} is null`;
  const [row] = await world.rows<{ count: number }>(
    countStatement(COUNTED_INGESTS, where(COUNTED_INGESTS, 'i.strike_id')),
  );
  t.equal(row?.count, 20);
});

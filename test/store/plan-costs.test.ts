/** Costs that come from a query plan alone, whatever rows it finds. */
import pg from 'pg';
import t from 'tap';
import { findJobs } from '../../src/store/job/list.ts';
import type { Sql } from '../../src/store/sql/sql.ts';
import { savedJob } from './make.ts';
import { storeWorld } from './store-world.ts';

/** Pages that the server process of the connection has been given so far. */
const PAGES = `select split_part(pg_read_file('/proc/self/stat'), ' ', 10)::bigint as pages`;

async function pagesOf(sql: Sql, work: () => Promise<unknown>): Promise<number> {
  const pages = async (): Promise<number> => (await sql.execute<{ pages: number }>(PAGES))[0]?.pages ?? 0;
  await work();
  const before = await pages();
  await work();
  return (await pages()) - before;
}

t.test('query plan costs: reading a job touches no table that it does not need', async (t) => {
  const world = await storeWorld(t);
  const job = await savedJob(world);
  await world.db.sql.transaction(async (tx) => {
    const pages = await pagesOf(tx, () => findJobs(tx, [job.id]));
    t.ok(pages < 500, `${pages} pages`);
  }, 'keyed');
});

t.test('query plan costs: triggers for many changed rows use no plan made for one', async (t) => {
  const world = await storeWorld(t);
  const client = new pg.Client({ connectionString: world.url });
  await client.connect();
  t.teardown(() => client.end());
  const plans: string[] = [];
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  // As the connections that keep query plans are set.
  for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'material'])
    await client.query(`set enable_${way} = off`);
  await client.query(`load 'auto_explain'`);
  await client.query(`set auto_explain.log_min_duration = 0`);
  await client.query(`set auto_explain.log_nested_statements = on`);
  await client.query(`set auto_explain.log_level = notice`);
  await client.query(`update node set is_paused = not is_paused where hostname = 'one'`);
  const told = plans.filter((plan) => /insert into object_change/.test(plan));
  t.equal(told.length, 1);
  t.match(told[0], /Hash Join/);
  t.notMatch(told[0], /Nested Loop/);
});

/**
 * Removes history: rows of work that ended long ago and that no file originates from. Files stay, with the records of
 * their origin: a source with its ingest, a product with its job, that job's last execution and its recipe. Each call
 * examines a bounded number of rows after a cursor that moves with the time of their last change, so that none is
 * examined twice.
 */

import { idArray } from '../sql/rows.ts';
import { planChecksOnce, type Sql } from '../sql/sql.ts';
import {
  addRemoved,
  type Removed,
  removeJobParts,
  removeJobs,
  removeTreeParts,
  removeTreeRecipes,
} from './row-removal.ts';

/** limit: rows that one call examines. */
const ROWS_MAX = 500;
/** limit: chains of recipes of one transaction. */
const CHAINS_MAX = 50;

const READ = /* sql */ `
  select at::text as at, id from retention_cursor where kind = $1 for update`;
const MOVE = /* sql */ `
  insert into retention_cursor (kind, at, id) values ($1, $2, $3)
  on conflict (kind) do update set at = excluded.at, id = excluded.id`;

interface Seen {
  readonly id: number;
  /** As the database writes it: milliseconds would be too coarse for the comparison with the cursor. */
  readonly at: string;
}

/** Examines rows after the cursor of a kind that are older than a time, oldest first. True: there may be more. */
async function advance<R extends Seen>(
  sql: Sql,
  kind: string,
  query: string,
  beforeMs: number,
  work: (inside: Sql, rows: readonly R[]) => Promise<void>,
): Promise<boolean> {
  return sql.transaction(async (inside) => {
    await planChecksOnce(inside);
    const [cursor] = await inside.execute<Seen>(READ, [kind]);
    const rows = await inside.execute<R>(query, [beforeMs, cursor?.at ?? '-infinity', cursor?.id ?? 0]);
    const last = rows.at(-1);
    if (last === undefined) return false;
    await work(inside, rows);
    await inside.execute(MOVE, [kind, last.at, last.id]);
    return true;
  });
}

/** Rows of a table in the order of an index on a time and the id. */
function since(table: string, instant: string, columns: string, rowsMax = ROWS_MAX): string {
  return /* sql */ `
    select t.id, t.${instant}::text as at, ${columns}
    from ${table} t
    where t.${instant} < to_timestamp($1::float8 / 1000) and (t.${instant}, t.id) > ($2::timestamptz, $3::bigint)
    order by t.${instant}, t.id limit ${rowsMax}`;
}

// One lookup per job: the planner would read the whole table for an `exists` among alternatives.
const HAS_PRODUCT = `(select f.id from file f where f.job_id = j.id limit 1) is not null`;
const IS_RUNNING = `(select e.id from job_exe e where e.job_id = j.id and e.status = 'RUNNING' limit 1) is not null`;
const IS_INGESTED = `(select i.id from ingest i where i.job_id = j.id and i.status in ('INGESTED', 'DUPLICATE')
  limit 1) is not null`;

// At most as many as one transaction removes, because the cursor then moves past all of them.
const RECIPES = since('recipe', 'last_modified', 't.chain_id, t.parent_id', CHAINS_MAX);

/** Chains without live jobs, products and batches in which nothing has changed since. */
const ENDED_CHAINS = /* sql */ `
  select q.chain_id from unnest($1::bigint[]) as q(chain_id)
  where not exists (
      select from recipe r where r.chain_id = q.chain_id and (r.batch_id is not null
        or r.last_modified >= to_timestamp($2::float8 / 1000)))   -- = recipe_chain_idx
    and not exists (
      select from recipe r join job j on j.recipe_id = r.id
      where r.chain_id = q.chain_id and (j.status in ('PENDING', 'QUEUED', 'RUNNING')
        or ${HAS_PRODUCT} or ${IS_RUNNING}))
  limit ${CHAINS_MAX}`;

/**
 * Locked, because the owner may be about to queue one of these jobs: either it waits, or its change is visible here.
 */
const LOCK_JOBS = /* sql */ `
  select j.id from recipe r join job j on j.recipe_id = r.id where r.chain_id = any($1::bigint[])
  order by j.id for update of j`;

/** Removes recipes without remaining products, with their jobs. True: there may be more. */
export function removeOldRecipes(sql: Sql, beforeMs: number): Promise<boolean> {
  return advance<Seen & { chain_id: number; parent_id: number | null }>(
    sql,
    'recipes',
    RECIPES,
    beforeMs,
    async (inside, rows) => {
      const roots = rows.filter((row) => row.parent_id === null);
      const ids = idArray(new Set(roots.map((row) => row.chain_id)));
      if (roots.length === 0) return;
      await inside.execute(LOCK_JOBS, [ids]);
      const ended = await inside.execute<{ chain_id: number }>(ENDED_CHAINS, [ids, beforeMs]);
      const chainIds = ended.map((row) => row.chain_id);
      const own = await inside.execute<{ id: number }>(
        `select j.id from recipe r join job j on j.recipe_id = r.id where r.chain_id = any($1::bigint[])`,
        [idArray(chainIds)],
      );
      if (chainIds.length === 0) return;
      await removeTreeParts(inside, chainIds);
      await removeTreeRecipes(inside, chainIds);
      await removeWork(
        inside,
        own.map((row) => row.id),
      );
    },
  );
}

async function removeWork(sql: Sql, jobIds: readonly number[]): Promise<Removed> {
  return addRemoved(await removeJobParts(sql, jobIds), await removeJobs(sql, jobIds));
}

const JOBS = since('job', 'last_modified', 't.owner_kind, t.status, t.recipe_id');

/** Jobs without a recipe and without products, and completed jobs of ingests; locked against their owners. */
const ENDED_JOBS = /* sql */ `
  select j.id from job j
  where j.id = any($1::bigint[]) and j.recipe_id is null   -- = job_pkey
    and j.last_modified < to_timestamp($2::float8 / 1000)
    and (j.owner_kind = 'job' and j.status in ('COMPLETED', 'FAILED', 'CANCELED')
        and (${HAS_PRODUCT}) is false
      or j.owner_kind in ('strike', 'scan') and j.status = 'COMPLETED'
        and ${IS_INGESTED})
    and (${IS_RUNNING}) is false
  order by j.id for update`;

/** True: there may be more. */
export function removeOldJobs(sql: Sql, beforeMs: number): Promise<boolean> {
  return advance(sql, 'jobs', JOBS, beforeMs, async (inside, rows) => {
    const params = [idArray(rows.map((row) => row.id)), beforeMs];
    const ended = await inside.execute<{ id: number }>(ENDED_JOBS, params);
    if (ended.length === 0) return;
    const ids = ended.map((row) => row.id);
    await inside.execute('update ingest set job_id = null where job_id = any($1::bigint[])', [idArray(ids)]);
    await removeWork(inside, ids);
  });
}

const EXECUTIONS = since('job_exe', 'ended', 't.job_id, t.exe_num');

/** Removes executions that were tried again, with their logs. True: there may be more. */
export function removeOldTries(sql: Sql, beforeMs: number): Promise<boolean> {
  return advance(sql, 'tries', EXECUTIONS, beforeMs, async (inside, rows) => {
    const tried = await inside.execute<{ id: number }>(
      `select e.id from job_exe e join job j on j.id = e.job_id
       where e.id = any($1::bigint[]) and e.exe_num < j.num_exes`,
      [idArray(rows.map((row) => row.id))],
    );
    const ids = [idArray(tried.map((row) => row.id))];
    await inside.execute('delete from job_log where job_exe_id = any($1::bigint[])', ids);
    await inside.execute('delete from job_exe where id = any($1::bigint[])', ids);
  });
}

const HOURS_MAX = 200;
const REQUESTS_MAX = 1_000;

/** Removes load samples, and completed requests. */
export async function removeOldRecords(sql: Sql, beforeMs: number): Promise<void> {
  await sql.transaction(async (inside) => {
    const hours = await inside.execute<{ hour: string }>(
      `select hour::text as hour from load_hour where hour < to_timestamp($1::float8 / 1000)
       order by hour limit ${HOURS_MAX}`,
      [beforeMs],
    );
    if (hours.length === 0) return;
    const list = [hours.map((row) => row.hour)];
    await inside.execute('delete from load_sample where hour = any($1::timestamptz[])', list);
    await inside.execute('delete from load_hour where hour = any($1::timestamptz[])', list);
  });
  await sql.execute(
    `delete from job_request where id in (
       select id from job_request where is_done and last_modified < to_timestamp($1::float8 / 1000)
       limit ${REQUESTS_MAX})   -- = job_request_done_idx`,
    [beforeMs],
  );
}

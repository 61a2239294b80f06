/**
 * Jobs that open requests for many jobs may still change. Other requests for the same jobs wait for these, because they
 * were answered earlier.
 */
import { SYSTEM_JOB_TYPES } from '../catalog/builtins.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const ANY_OPEN = {
  name: 'any_open_job_request',
  text: /* sql */ `select from job_request where not is_done limit 1   -- = job_request_order_idx`,
};

async function isAnyOpen(sql: Sql): Promise<boolean> {
  return (await sql.execute(ANY_OPEN)).length > 0;
}

/** SQL: this part of the choice of `q` is unrestricted, or contains the value. */
function has(part: string, value: string): string {
  return `(jsonb_array_length(q.choice->'${part}') = 0 or q.choice->'${part}' @> to_jsonb(${value}))`;
}

/**
 * Whether the request `q` may still change the job `j` of the type `t`. This depends on properties of the job that
 * never change, and on the recipe that holds it. Only reprocessing changes the latter, and it waits for `q`.
 */
const MAY_CHANGE = /* sql */ `
  not q.is_done   -- = job_request_order_idx
  and (q.before_id is null or j.id < q.before_id or exists (
    select from job_request_backlog b where b.request_id = q.id and b.job_id = j.id))
  and ${has('jobIds', 'j.id')} and ${has('jobTypeIds', 'j.job_type_id')} and ${has('jobTypeNames', 't.name')}
  and ${has('batchIds', 'case when j.live_recipe_id is null then j.batch_id else j.live_batch_id end')}
  and ${has('recipeIds', 'coalesce(j.live_recipe_id, j.recipe_id)')}
  and (not t.is_system or jsonb_array_length(q.choice->'jobIds') + jsonb_array_length(q.choice->'jobTypeIds')
    + jsonb_array_length(q.choice->'jobTypeNames') > 0)`;

const HELD_CHAINS = {
  name: 'chains_of_open_requests',
  text: /* sql */ `
    select distinct r.chain_id as id
    from recipe r
    join job j on j.recipe_id = r.id   -- = job_recipe_idx
    join job_type t on t.id = j.job_type_id
    join job_request q on ${MAY_CHANGE}
    where r.chain_id = any($1::bigint[])   -- = recipe_chain_idx`,
};

/** The chains of recipes, among these, in which an open request may still change a job. */
export async function heldChains(sql: Sql, chainIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (!(await isAnyOpen(sql))) return new Set();
  const rows = await sql.execute<{ id: number }>(HELD_CHAINS, [idArray(chainIds)]);
  return new Set(rows.map((row) => row.id));
}

const HELD_STRIKE = {
  name: 'strikes_of_open_requests',
  text: /* sql */ `
    select 1 from strike s join job j on j.id = s.job_id join job_type t on t.id = j.job_type_id
    join job_request q on ${MAY_CHANGE}
    where s.id = $1   -- = strike_pkey
    limit 1`,
};

/** Whether an open request may still pause or resume the strike. */
export async function isStrikeHeld(sql: Sql, strikeId: number): Promise<boolean> {
  return (await isAnyOpen(sql)) && (await sql.execute(HELD_STRIKE, [strikeId])).length > 0;
}

const HELD_SCAN = {
  name: 'scans_of_open_requests',
  text: /* sql */ `
    with own as (
      select o.id from scan s, unnest(array[s.job_id, s.dry_run_job_id]) as o(id) where s.id = $1   -- = scan_pkey
      union
      select n.value::bigint from job_request r, jsonb_array_elements_text(r.choice->'jobIds') as n(value)
      where not r.is_done)   -- = job_request_order_idx
    select 1 from own join job j on j.id = own.id   -- = job_pkey
    join job_type t on t.id = j.job_type_id
    join job_request q on ${MAY_CHANGE}
    where j.owner_kind = 'scan' and j.owner_key = $1
    limit 1`,
};

/**
 * Individual ingests of the scan are not checked, since a scan may have any number of them: the request holds the scan
 * until it has passed all jobs, and while one of the scan's jobs is in its backlog.
 */
const HELD_INGESTS = {
  name: 'ingests_of_open_requests',
  text: /* sql */ `
    select 1 from job_request q
    join job_type t on t.name = $2 and t.is_system
      and ${has('jobTypeIds', 't.id')} and ${has('jobTypeNames', 't.name')}
    where not q.is_done   -- = job_request_order_idx
      and jsonb_array_length(q.choice->'jobTypeIds') + jsonb_array_length(q.choice->'jobTypeNames') > 0
      and jsonb_array_length(q.choice->'jobIds') + jsonb_array_length(q.choice->'batchIds')
        + jsonb_array_length(q.choice->'recipeIds') = 0
      and (coalesce(q.before_id, 1) > 0 and exists (select from ingest where scan_id = $1)   -- = ingest_scan_idx
        or exists (
          select from job_request_backlog b join job j on j.id = b.job_id   -- = job_pkey
          where b.request_id = q.id and j.owner_kind = 'scan' and j.owner_key = $1))
    limit 1`,
};

/** Whether an open request may still start or end a run of the scan, or change one of its ingests. */
export async function isScanHeld(sql: Sql, scanId: number): Promise<boolean> {
  if (!(await isAnyOpen(sql))) return false;
  if ((await sql.execute(HELD_SCAN, [scanId])).length > 0) return true;
  return (await sql.execute(HELD_INGESTS, [scanId, SYSTEM_JOB_TYPES.ingest.name])).length > 0;
}

/** Reads the facts for the causes of jobs, except the queue: their rows, errors, nodes, and who canceled them. */
import type { JobFacts } from '../../domain/job/why.ts';
import { INGEST_JOINS, INGEST_REASON } from '../ingest/list.ts';
import { expression, object, row } from '../sql/fields.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { strikeReason } from '../strike/list.ts';

const error = row('error', 'error');
const node = row('node', 'node');
const ERROR = object({
  ...error.columns('id', 'name', 'title', 'category'),
  isRetried: expression<boolean>('error.should_be_retried and error.is_builtin'),
});
const NODE = object({
  ...node.columns('id', 'hostname'),
  isOnline: node.column('is_online'),
  lastSeenMs: expression<number | null>('extract(epoch from node.last_seen)::float8 * 1000'),
});

/** The ingest, strike or scan that a system job works for. Relies on ingest_job_idx; strikes and scans are few. */
const SYSTEM_WORK = `case when j.class_key is null and j.owner_kind in ('strike', 'scan') then coalesce(
  (select json_build_object('kind', 'ingest', 'id', i.id, 'reason', ${INGEST_REASON})
    from ingest i ${INGEST_JOINS} where i.job_id = j.id limit 1),
  (select json_build_object('kind', 'strike', 'id', s.id, 'reason', ${strikeReason('j')})
    from strike s where s.job_id = j.id),
  (select json_build_object('kind', 'scan', 'id', scan.id, 'reason', scan.reason) from scan
    where scan.id = j.owner_key and j.owner_kind = 'scan')) end`;

// Relies on job_pkey, job_exe_num_key and job_request_position_key.
const JOBS = {
  name: 'job_facts',
  isKeyed: true,
  text: /* sql */ `
  select j.id, j.status, j.num_exes as "exeNum", j.max_tries as "maxTries", j.timeout_s as "timeoutS",
    j.last_status_change as "sinceMs", j.is_superseded as "isSuperseded",
    coalesce(j.live_recipe_id, j.recipe_id) as "recipeId", j.recipe_node as "recipeNode", j.reason,
    case when error.id is not null then ${ERROR} end as error,
    case when j.status = 'RUNNING' and node.id is not null then ${NODE} end as node,
    case when j.status = 'RUNNING' then j.started end as "startedMs",
    (select tried.reason from job_exe tried
      where tried.job_id = j.id and tried.exe_num = j.num_exes - 1 and tried.status = 'FAILED') as former,
    (select q.asker from job_request q
      where q.position = j.request_position and q.action = 'cancel') as "canceledBy",
    ${SYSTEM_WORK} as "systemWork"
  from job j left join error on error.id = j.error_id left join node on node.id = j.node_id
  where j.id = any($1::bigint[])`,
};

/** The existing jobs, by id. */
export async function jobFacts(sql: Sql, ids: readonly number[]): Promise<ReadonlyMap<number, JobFacts>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.execute<JobFacts>(JOBS, [idArray(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface RecipePlace {
  readonly chainId: number;
  readonly isCompleted: boolean;
  readonly isSuperseded: boolean;
  readonly supersededMs: number | null;
  readonly supersededBy: number | null;
}

/** Where a recipe is; undefined when there is none. */
export async function recipePlace(sql: Sql, id: number): Promise<RecipePlace | undefined> {
  const [row] = await sql.execute<RecipePlace>(
    `select r.chain_id as "chainId", r.is_completed as "isCompleted", r.is_superseded as "isSuperseded",
       r.superseded as "supersededMs",
       (select next.id from recipe next where next.chain_id = r.chain_id
         and next.superseded_recipe_id = r.id order by next.id desc limit 1) as "supersededBy"
     from recipe r where r.id = $1`,
    [id],
  );
  return row;
}

/** Why conditions of the recipes were not accepted, and when they were decided. */
export async function conditionNotes(
  sql: Sql,
  recipeIds: readonly number[],
): Promise<ReadonlyMap<number, { readonly reason: string | null; readonly processedMs: number | null }>> {
  const rows = await sql.execute<{ id: number; reason: string | null; processedMs: number | null }>(
    `select c.id, c.reason, c.processed as "processedMs" from recipe_node n
     join recipe_condition c on c.id = n.condition_id
     where n.recipe_id = any($1::bigint[]) and c.is_processed`,
    [idArray(recipeIds)],
  );
  return new Map(rows.map(({ id, ...note }) => [id, note]));
}

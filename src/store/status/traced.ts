/** Reads the rows for spans by their ids, in a constant number of statements. Used only with tracing. */

import type { PhaseTime } from '../../domain/task/task-result.ts';
import type { TraceSubject } from '../../domain/trace.ts';
import type { Sql } from '../sql/sql.ts';

/** limit: products named for one execution. */
const PRODUCTS_MAX = 100;

/** The columns of a trace's subject: the root recipe of a job's recipe, or the job itself. */
const SUBJECT = /* sql */ `json_build_object('kind', case when root.id is null then 'job' else 'recipe' end,
  'id', coalesce(root.id, j.id),
  'createdMs', round(extract(epoch from coalesce(root.created, j.created)) * 1000),
  'traceParent', origin.trace_parent) as subject`;

const JOB_OF_EXECUTION = /* sql */ `
  from job_exe x join job j on j.id = x.job_id
  left join recipe r on r.id = j.recipe_id left join recipe root on root.id = r.root_id
  left join event origin on origin.id = coalesce(root.event_id, j.event_id)`;

export interface TracedLaunch {
  readonly executionId: number;
  readonly subject: TraceSubject;
}

/** The subjects of the traces of executions. */
export function tracedLaunches(sql: Sql, executionIds: readonly number[]): Promise<readonly TracedLaunch[]> {
  return sql.execute<TracedLaunch>(
    `select x.id as "executionId", ${SUBJECT} ${JOB_OF_EXECUTION} where x.id = any($1::bigint[])`,
    [executionIds],
  );
}

export interface TracedExecution extends TracedLaunch {
  readonly jobId: number;
  readonly exeNum: number;
  readonly jobType: string;
  readonly jobTypeVersion: string;
  readonly node: string;
  readonly status: string;
  readonly error: string | null;
  readonly queued: number;
  readonly started: number;
  readonly ended: number;
  readonly phases: readonly PhaseTime[];
  readonly products: readonly { readonly id: number; readonly path: string; readonly createdMs: number }[];
}

/** Executions that have ended, except those of system jobs. Relies on file_job_idx. */
export function tracedExecutions(sql: Sql, ids: readonly number[]): Promise<readonly TracedExecution[]> {
  return sql.execute<TracedExecution>(
    `select x.id as "executionId", ${SUBJECT}, x.job_id as "jobId", x.exe_num as "exeNum", jt.name as "jobType",
       jt.version as "jobTypeVersion", n.hostname as node, x.status, e.name as error, x.queued, x.started, x.ended,
       coalesce(x.task_results -> 'phases', '[]') as phases, coalesce(made.products, '[]') as products
     ${JOB_OF_EXECUTION}
     join job_type jt on jt.id = x.job_type_id and not jt.is_system
     join node n on n.id = x.node_id left join error e on e.id = x.error_id
     left join lateral (
       select json_agg(json_build_object('id', f.id, 'path', f.file_path,
         'createdMs', round(extract(epoch from f.created) * 1000))) as products
       from (select id, file_path, created from file where job_id = x.job_id and job_exe_id = x.id -- = file_job_idx
         order by id limit ${PRODUCTS_MAX}) as f) as made on true
     where x.id = any($1::bigint[]) and x.ended is not null`,
    [ids],
  );
}

export interface TracedRecipe {
  readonly id: number;
  readonly subject: TraceSubject;
  readonly recipeType: string;
  readonly created: number;
  readonly completed: number | null;
  readonly isRoot: boolean;
  readonly event: { readonly type: string; readonly occurredMs: number; readonly description: object };
  /** The file that started it. */
  readonly ingest: {
    readonly id: number;
    readonly fileName: string;
    readonly startedMs: number;
    readonly endedMs: number;
  } | null;
}

export function tracedRecipes(sql: Sql, ids: readonly number[]): Promise<readonly TracedRecipe[]> {
  return sql.execute<TracedRecipe>(
    `select r.id, json_build_object('kind', 'recipe', 'id', root.id,
         'createdMs', round(extract(epoch from root.created) * 1000),
         'traceParent', (select trace_parent from event where id = root.event_id)) as subject,
       rt.name as "recipeType", r.created, r.completed, r.parent_id is null as "isRoot",
       json_build_object('type', e.type, 'occurredMs', round(extract(epoch from e.occurred) * 1000),
         'description', e.description) as event,
       case when i.id is not null then json_build_object('id', i.id, 'fileName', i.file_name,
         'startedMs', round(extract(epoch from coalesce(i.transfer_started, i.created)) * 1000),
         'endedMs', round(extract(epoch from coalesce(i.ingest_ended, r.created)) * 1000)) end as ingest
     from recipe r join recipe root on root.id = r.root_id join recipe_type rt on rt.id = r.recipe_type_id
     join event e on e.id = r.event_id left join ingest i on i.id = r.ingest_id
     where r.id = any($1::bigint[])`,
    [ids],
  );
}

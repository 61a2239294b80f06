/**
 * Chooses the next jobs of a request for many jobs. A request never passes a job before the earlier requests that may
 * choose it: their progress is read first, and jobs are chosen after it, so that the choice sees their effects.
 */
import type { JobOwner, JobStatus } from '../../domain/job/job.ts';
import {
  type JobChoice,
  type JobRequest,
  type JobScope,
  mayChooseFutureJobs,
  namesJobsOrTypes,
  type ScopedJob,
  scopeOf,
} from '../../domain/job/job-request.ts';
import { JOB_IS_OF_DELETED } from '../deletion/guards.ts';
import { Conditions } from '../sql/conditions.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { MOVABLE, OF_DELETED } from './actions.ts';

const SCOPED_JOBS = {
  name: 'scoped_jobs',
  text: /* sql */ `
    select j.id, j.job_type_id as "jobTypeId", t.name as "jobTypeName",
      array_remove(array[j.batch_id, j.live_batch_id], null) as "batchIds",
      array_remove(array[j.recipe_id, j.live_recipe_id], null) as "recipeIds"
    from job j join job_type t on t.id = j.job_type_id
    where j.id = any($1::bigint[])   -- = job_pkey`,
};

/** The properties of these jobs by which requests choose; unknown ids are left out. */
export function scopedJobs(sql: Sql, jobIds: readonly number[]): Promise<readonly ScopedJob[]> {
  return sql.execute<ScopedJob>(SCOPED_JOBS, [idArray(jobIds)]);
}

/** An open request. It has passed all jobs from `beforeId` upward; null: none. */
export interface OpenRequest {
  readonly id: number;
  readonly beforeId: number | null;
}

/** SQL: this part of the scope of `q` and the parameter share a value, or one of them is unrestricted. */
function meets(part: string, type: 'bigint' | 'text', param: number): string {
  const list = `q.choice->'${part}'`;
  return `($${param}::${type}[] is null or jsonb_array_length(${list}) = 0 or exists (
      select from jsonb_array_elements_text(${list}) as e(value) where e.value::${type} = any($${param}::${type}[])))`;
}

const EARLIER_REQUESTS = {
  name: 'earlier_job_requests',
  text: /* sql */ `
    select q.id, q.before_id as "beforeId" from job_request q
    where not q.is_done and q.position < $1   -- = job_request_order_idx
      and ${meets('jobIds', 'bigint', 2)}
      and ${meets('jobTypeIds', 'bigint', 3)}
      and ${meets('jobTypeNames', 'text', 4)}
      and ${meets('batchIds', 'bigint', 5)}
      and ${meets('recipeIds', 'bigint', 6)}`,
};

/** Open requests of lower positions that may choose a job of the scope. */
export function earlierRequests(
  sql: Sql,
  position: number,
  scope: JobScope,
): Promise<readonly OpenRequest[]> {
  const { jobIds, jobTypeIds, jobTypeNames, batchIds, recipeIds } = scope;
  return sql.execute<OpenRequest>(EARLIER_REQUESTS, [
    position,
    jobIds,
    jobTypeIds,
    jobTypeNames,
    batchIds,
    recipeIds,
  ]);
}

/** A job that a request has chosen. */
export interface ChosenJob {
  readonly id: number;
  readonly owner: JobOwner;
}

const NO_BOUND = Number.MAX_SAFE_INTEGER;

/** Jobs with ids from `fromId` up to but without `beforeId`; null: without an upper end. */
export interface JobSpan {
  readonly fromId: number;
  readonly beforeId: number | null;
  /** Only PENDING, QUEUED and RUNNING jobs, which an index finds however many others there are. */
  readonly isLiveOnly?: boolean;
}

function inSpan(conditions: Conditions, column: string, { fromId, beforeId }: JobSpan): void {
  if (fromId > 0) conditions.add(`${column} >= ${conditions.param(fromId)}::bigint`);
  if (beforeId !== null) conditions.add(`${column} < ${conditions.param(beforeId)}::bigint`);
}

/** Conditions on immutable properties of a job. A carried-over job is chosen only by the id of the later recipe. */
function scopeConditions(conditions: Conditions, choice: JobChoice): void {
  conditions.anyOf('j.id', 'bigint', choice.jobIds);
  conditions.anyOf('j.job_type_id', 'bigint', choice.jobTypeIds);
  liveIn(conditions, 'batch_id', choice.batchIds);
  liveIn(conditions, 'recipe_id', choice.recipeIds);
  among(conditions, 'j.job_type_id', 'job_type', 'name', choice.jobTypeNames);
  const unnamed = 'select id from job_type where is_system or expires is not null';
  if (!namesJobsOrTypes(choice)) conditions.add(`not j.job_type_id = any(array(${unnamed}))`);
}

function liveIn(conditions: Conditions, column: 'batch_id' | 'recipe_id', ids: readonly number[]): void {
  if (ids.length === 0) return;
  const list = `any(${conditions.param(ids)}::bigint[])`;
  // = job_batch_idx or job_recipe_idx, and job_live_batch_idx or job_live_recipe_idx
  conditions.add(`(j.live_${column} = ${list} or j.${column} = ${list} and j.live_recipe_id is null)`);
}

function among(
  conditions: Conditions,
  column: string,
  table: string,
  by: string,
  values: readonly string[],
): void {
  if (values.length === 0) return;
  const list = conditions.param(values);
  conditions.add(`${column} = any(array(select id from ${table} where ${by} = any(${list}::text[])))`);
}

/** Jobs that the request can change now; not those that it or a later request has changed. */
function stateConditions(
  conditions: Conditions,
  { action, choice, position }: Pick<JobRequest, 'action' | 'choice' | 'position'>,
): void {
  conditions.anyOf('j.status', 'text', MOVABLE[action]);
  if (choice.status !== null) conditions.anyOf('j.status', 'text', [choice.status]);
  if (action === 'requeue') {
    conditions.flag('j.is_superseded', false);
    conditions.add(`not ${OF_DELETED}`);
  }
  conditions.add(
    `(j.request_position is null or j.request_position < ${conditions.param(position)}::bigint)`,
  );
  const range = { startedMs: choice.startedMs ?? undefined, endedMs: choice.endedMs ?? undefined };
  conditions.range(range, 'j.last_modified');
  conditions.anyOf('j.error_id', 'bigint', choice.errorIds);
  among(conditions, 'j.error_id', 'error', 'category', choice.errorCategories);
  conditions.flag('j.is_superseded', choice.isSuperseded ?? undefined);
}

/** Diagnostics that were requested after the request was answered are excluded. */
function beforeLaterRuns(conditions: Conditions, position: number): void {
  const later = `select event_id from diagnostic_run where position > ${conditions.param(position)}::bigint`;
  // = diagnostic_run_position_idx
  conditions.add(`not j.event_id = any(array(${later}))`);
}

/** The next jobs that a request chooses in a span, highest id first, at most `limit`. */
export async function chosenJobs(
  sql: Sql,
  request: JobRequest,
  span: JobSpan,
  limit: number,
): Promise<readonly ChosenJob[]> {
  const conditions = new Conditions();
  stateConditions(conditions, request);
  inSpan(conditions, 'j.id', span);
  scopeConditions(conditions, request.choice);
  if (span.isLiveOnly === true) conditions.add(`j.status in ('PENDING', 'QUEUED', 'RUNNING')`);
  if (mayChooseFutureJobs(request.choice)) beforeLaterRuns(conditions, request.position);
  const rows = await sql.execute<{ id: number; kind: JobOwner['kind']; key: number }>(
    `select j.id, j.owner_kind as kind, j.owner_key as key from job j ${conditions.where}
     order by j.id desc limit ${conditions.param(limit)}`,
    conditions.params,
  );
  return rows.map(({ id, kind, key }) => ({ id, owner: { kind, key } }));
}

// limit: jobs that a preview counts, and those that it names.
const PREVIEW_MAX = 100_000;
const PREVIEW_NAMED = 100;

/** What a request would change now. */
export interface JobsPreview {
  readonly job_count: number;
  readonly is_cut: boolean;
  readonly statuses: { readonly status: JobStatus; readonly job_count: number }[];
  readonly job_types: {
    readonly id: number;
    readonly name: string;
    readonly version: string;
    readonly job_count: number;
  }[];
  readonly job_ids: number[];
}

/** Counts the jobs that the choice matches now. */
export async function previewJobs(
  sql: Sql,
  action: JobRequest['action'],
  choice: JobChoice,
): Promise<JobsPreview> {
  const conditions = new Conditions();
  stateConditions(conditions, { action, choice, position: NO_BOUND });
  scopeConditions(conditions, choice);
  const [row] = await sql.execute<{ preview: JobsPreview }>(
    `with chosen as materialized (
       select j.id, j.status, j.job_type_id from job j ${conditions.where}
       order by j.id desc limit ${PREVIEW_MAX + 1}),
     counted as (select * from chosen limit ${PREVIEW_MAX})
     select json_build_object(
       'job_count', (select count(*) from counted),
       'is_cut', (select count(*) from chosen) > ${PREVIEW_MAX},
       'statuses', (select coalesce(json_agg(one order by one.status), '[]') from (
         select status, count(*) as job_count from counted group by status) as one),
       'job_types', (select coalesce(json_agg(one), '[]') from (
         select t.id, t.name, t.version, count(*) as job_count from counted c join job_type t on t.id = c.job_type_id
         group by t.id order by 4 desc, t.id limit ${PREVIEW_NAMED}) as one),
       'job_ids', (select coalesce(json_agg(one.id order by one.id desc), '[]') from (
         select id from counted order by id desc limit ${PREVIEW_NAMED}) as one)) as preview`,
    conditions.params,
  );
  return (row as NonNullable<typeof row>).preview;
}

/** A job type for which jobs of earlier revisions were chosen. */
export interface NewerRevision {
  readonly name: string;
  readonly version: string;
  /** The newest. */
  readonly revisionNum: number;
  /** The total number of such job types. */
  readonly total: number;
}

/** The longest time that an answer waits for these optional warnings. */
export const NEWER_REVISIONS_MS = 2_000;

/** Job types of the jobs that would be requeued now, at most `limit`. Throws QUERY_TOO_SLOW after that time. */
export function newerRevisions(
  sql: Sql,
  choice: JobChoice,
  limit: number,
): Promise<readonly NewerRevision[]> {
  const conditions = new Conditions();
  stateConditions(conditions, { action: 'requeue', choice, position: NO_BOUND });
  scopeConditions(conditions, choice);
  conditions.add('rev.revision_num < t.revision_num');
  const text = `
    with behind as (
      select distinct j.job_type_id as id from job j join job_type_rev rev on rev.id = j.job_type_rev_id
      join job_type t on t.id = j.job_type_id ${conditions.where})
    select t.name, t.version, t.revision_num as "revisionNum", count(*) over ()::int as total
    from behind join job_type t on t.id = behind.id order by t.name, t.version, t.id
    limit ${conditions.param(limit)}`;
  return sql.transaction(async (tx) => {
    await tx.execute(`set local statement_timeout = ${NEWER_REVISIONS_MS}`);
    return tx.execute<NewerRevision>(text, conditions.params);
  });
}

/** Jobs in the scope of a request that are in the backlogs of earlier ones, highest id first, at most `limit`. */
export async function heldJobs(
  sql: Sql,
  request: JobRequest,
  earlier: readonly OpenRequest[],
  span: JobSpan,
  limit: number,
): Promise<readonly number[]> {
  if (earlier.length === 0) return [];
  const conditions = new Conditions();
  const ids = earlier.map(({ id }) => id);
  conditions.anyOf('b.request_id', 'bigint', ids);
  inSpan(conditions, 'b.job_id', span);
  scopeConditions(conditions, request.choice);
  const rows = await sql.execute<{ id: number }>(
    `select distinct b.job_id as id from job_request_backlog b join job j on j.id = b.job_id ${conditions.where}
     order by 1 desc limit ${conditions.param(limit)}`,
    conditions.params,
  );
  return rows.map((row) => row.id);
}

const UNFINISHED_BATCHES = {
  name: 'unfinished_batches',
  text: /* sql */ `
    select id from batch where id = any($1::bigint[]) and not is_creation_done limit 1   -- = batch_pkey`,
};

/** Whether all recipes of these batches have been created. */
export async function areBatchesWhole(sql: Sql, batchIds: readonly number[]): Promise<boolean> {
  if (batchIds.length === 0) return true;
  return (await sql.execute(UNFINISHED_BATCHES, [idArray(batchIds)])).length === 0;
}

const UNFINISHED_RUNS = {
  name: 'unfinished_runs_before_request',
  text: /* sql */ `
    select r.id from diagnostic_run r
    join recipe_type_rev v on v.id = r.recipe_type_rev_id
    join recipe_type_job_type m on m.recipe_type_id = v.recipe_type_id
    join job_type t on t.id = m.job_type_id
    where r.made_count < r.total and r.position < $1   -- = diagnostic_run_unfinished_idx
      and ($2::bigint[] is null or t.id = any($2::bigint[])) and ($3::text[] is null or t.name = any($3::text[]))
    limit 1`,
};

/** Whether all earlier runs of diagnostics whose jobs the request may choose have created them. */
export async function areRunsWhole(sql: Sql, { position, choice }: JobRequest): Promise<boolean> {
  if (!mayChooseFutureJobs(choice)) return true;
  const { jobTypeIds, jobTypeNames } = scopeOf(choice);
  return (await sql.execute(UNFINISHED_RUNS, [position, jobTypeIds, jobTypeNames])).length === 0;
}

/** The present state of a job of a backlog. */
export interface BacklogState {
  readonly jobId: number;
  readonly isChosen: boolean;
  /** null: the job was removed. */
  readonly owner: JobOwner | null;
  /** Whether this request or a later one has changed it, or a deleted record that it belongs to prevents that. */
  readonly isPassed: boolean;
  /** Whether it is in the backlog of an earlier request. */
  readonly isHeld: boolean;
}

const BACKLOG = {
  name: 'job_request_backlog_page',
  text: /* sql */ `
    select b.job_id as "jobId", b.is_chosen as "isChosen", j.owner_kind as kind, j.owner_key as key,
      coalesce(j.request_position >= $2 or $5 and ${OF_DELETED}, false) as "isPassed",
      exists (
        select from job_request_backlog e join job_request q on q.id = e.request_id
        where e.job_id = b.job_id and q.position < $2) as "isHeld"   -- = job_request_backlog_job_idx
    from job_request_backlog b left join job j on j.id = b.job_id
    where b.request_id = $1 and b.job_id < $3   -- = job_request_backlog_pkey
    order by b.job_id desc limit $4`,
};

/** The next jobs of a backlog, highest id first, at most `limit`. */
export async function backlogPage(
  sql: Sql,
  { id, position, action }: JobRequest,
  belowId: number | null,
  limit: number,
): Promise<readonly BacklogState[]> {
  type Row = Omit<BacklogState, 'owner'> & { readonly kind: JobOwner['kind'] | null; readonly key: number };
  const rows = await sql.execute<Row>(BACKLOG, [
    id,
    position,
    belowId ?? NO_BOUND,
    limit,
    action === 'requeue',
  ]);
  return rows.map(({ kind, key, ...row }) => ({ ...row, owner: kind === null ? null : { kind, key } }));
}

/** Why jobs that a requeue names are not changed. `total` counts all reasons, also those that were not read. */
export interface DeletedHolder {
  /** Such as `the job type counter 1.0.0 is deleted`. */
  readonly reason: string;
  readonly total: number;
}

/** limit: reasons of one answer. */
const REASONS_MAX = 20;

const HOLDERS = /* sql */ `
  with named as (
    select format('the job type %s %s is deleted', t.name, t.version) as reason from job_type t
    where t.id = any($1::bigint[]) and t.deleted is not null   -- = job_type_pkey
    union
    select format('the recipe type %s of the recipe %s is deleted', t.name, r.id)
    from recipe r join recipe_type t on t.id = r.recipe_type_id
    where r.id = any($2::bigint[]) and t.deleted is not null   -- = recipe_pkey
    union
    select format('the batch %s is deleted', b.id) from batch b
    where b.id = any($3::bigint[]) and b.deleted is not null   -- = batch_pkey
    union
    select format('what the job %s belongs to, or stores its products in, is deleted', j.id)
    from job j join job_type t on t.id = j.job_type_id
    where j.id = any($4::bigint[]) and ${JOB_IS_OF_DELETED}   -- = job_pkey
  )
  select reason, count(*) over ()::int as total from named order by reason limit ${REASONS_MAX}`;

/** The deleted records among those that the choice names by id. */
export function deletedHolders(sql: Sql, choice: JobChoice): Promise<readonly DeletedHolder[]> {
  const { jobTypeIds, recipeIds, batchIds, jobIds } = choice;
  return sql.execute<DeletedHolder>(HOLDERS, [jobTypeIds, recipeIds, batchIds, jobIds]);
}

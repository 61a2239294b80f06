/** Requests to cancel or requeue jobs: their rows, and the pages of jobs that they mean. */

import type { JobOwner } from '../domain/job/job.ts';
import { type JobRequest, type NewJobRequest, namesJobsOrTypes } from '../domain/job/job-request.ts';
import type { ChangeOf, Group } from './group.ts';
import { Conditions } from './queries/listing.ts';
import { idArray, RowSet } from './rows.ts';
import type { Sql } from './sql.ts';

const REQUESTS = new RowSet<NewJobRequest>([
  ['id', 'id', (row) => row.id],
  ['shard', 'int', (row) => row.shard],
  ['action', 'text', (row) => row.action],
  ['choice', 'json', (row) => row.choice],
  ['priority', 'int', (row) => row.priority],
  ['created', 'ms', (row) => row.atMs],
  ['last_modified', 'ms', (row) => row.atMs],
]);

const INSERT_REQUESTS = {
  name: 'insert_job_requests',
  text: /* sql */ `insert into job_request (${REQUESTS.names}) select * from ${REQUESTS.table('d')}`,
};

const ADVANCES = new RowSet<ChangeOf<'advanceJobRequest'>>([
  ['id', 'id', (row) => row.requestId],
  ['before_id', 'id', (row) => row.beforeId],
  ['is_done', 'bool', (row) => row.isDone],
  ['at', 'ms', (row) => row.atMs],
]);

const ADVANCE_REQUESTS = {
  name: 'advance_job_requests',
  text: /* sql */ `
    update job_request r set before_id = d.before_id, is_done = d.is_done, last_modified = d.at
    from ${ADVANCES.table('d')}
    where r.id = d.id   -- = job_request_pkey`,
};

export async function writeJobRequests(sql: Sql, group: Group): Promise<void> {
  const created = group.items('createJobRequests', (change) => change.requests);
  if (created.length > 0) await sql.execute(INSERT_REQUESTS, REQUESTS.params(created));
  const advances = new Map(group.of('advanceJobRequest').map(({ change }) => [change.requestId, change]));
  if (advances.size > 0) await sql.execute(ADVANCE_REQUESTS, ADVANCES.params([...advances.values()]));
}

const LOAD_REQUESTS = {
  name: 'load_job_requests',
  text: /* sql */ `
    select id, action, choice, priority, before_id as "beforeId", is_done as "isDone", created as "atMs"
    from job_request where id = any($1::bigint[])   -- = job_request_pkey`,
};

export async function loadJobRequests(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, JobRequest>> {
  const rows = await sql.execute<JobRequest>(LOAD_REQUESTS, [idArray(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

const DUE_MAX = 1_000;

const OPEN_REQUESTS = {
  name: 'open_job_requests',
  text: /* sql */ `
    select id from job_request
    where shard = any($1::smallint[]) and not is_done   -- = job_request_open_idx
    limit ${DUE_MAX}`,
};

/** Requests of these shards that are not done. */
export async function dueJobRequests(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(OPEN_REQUESTS, [idArray(shards)]);
  return rows.map((row) => row.id);
}

/** Statuses that an action can move a job from. */
const MOVABLE = {
  cancel: ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED'],
  requeue: ['QUEUED', 'RUNNING', 'FAILED', 'CANCELED'],
} as const;

/** A job that a request means. */
export interface ChosenJob {
  readonly id: number;
  readonly owner: JobOwner;
}

/**
 * The next jobs of a request, highest id first, at most `limit`. What changed its status after a requeue was asked for
 * is left alone, so that a page that is done twice queues nothing twice.
 */
export async function chosenJobs(
  sql: Sql,
  request: JobRequest,
  limit: number,
): Promise<readonly ChosenJob[]> {
  const { choice, action, beforeId } = request;
  const conditions = new Conditions();
  conditions.anyOf('j.status', 'text', MOVABLE[action]);
  if (choice.status !== null) conditions.anyOf('j.status', 'text', [choice.status]);
  if (beforeId !== null) conditions.add(`j.id < ${conditions.param(beforeId)}::bigint`);
  if (action === 'requeue') {
    conditions.range({ startedMs: undefined, endedMs: request.atMs }, 'j.last_status_change');
    conditions.flag('j.is_superseded', false);
  }
  const range = { startedMs: choice.startedMs ?? undefined, endedMs: choice.endedMs ?? undefined };
  conditions.range(range, 'j.last_modified');
  conditions.anyOf('j.id', 'bigint', choice.jobIds);
  conditions.anyOf('j.job_type_id', 'bigint', choice.jobTypeIds);
  conditions.anyOf('j.batch_id', 'bigint', choice.batchIds);
  conditions.anyOf('j.recipe_id', 'bigint', choice.recipeIds);
  conditions.anyOf('j.error_id', 'bigint', choice.errorIds);
  conditions.flag('j.is_superseded', choice.isSuperseded ?? undefined);
  const among = (column: string, table: string, by: string, values: readonly string[]) => {
    if (values.length === 0) return;
    const list = conditions.param(values);
    conditions.add(`${column} = any(array(select id from ${table} where ${by} = any(${list}::text[])))`);
  };
  among('j.job_type_id', 'job_type', 'name', choice.jobTypeNames);
  among('j.error_id', 'error', 'category', choice.errorCategories);
  if (!namesJobsOrTypes(choice)) {
    conditions.add('not j.job_type_id = any(array(select id from job_type where is_system))');
  }
  const rows = await sql.execute<{ id: number; kind: JobOwner['kind']; key: number }>(
    `select j.id, j.owner_kind as kind, j.owner_key as key from job j ${conditions.where}
     order by j.id desc limit ${conditions.param(limit)}`,
    conditions.params,
  );
  return rows.map(({ id, kind, key }) => ({ id, owner: { kind, key } }));
}

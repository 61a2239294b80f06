/**
 * Jobs of a group: locked in the order of their ids, folded (pending-rows.ts), written with one statement for each kind
 * of change.
 */
import type { JobNote, NewJob } from '../../domain/job/job.ts';
import { REASON_CHARS_MAX, reasonText } from '../../domain/reason.ts';
import { assert } from '../../lib/assert.ts';
import { errorIdSql, reasonOf } from '../error/error-sql.ts';
import type { Arrivals } from '../ingest/arrivals.ts';
import type { Group } from '../sql/group.ts';
import { guarded } from '../sql/guard-sql.ts';
import { pipelined } from '../sql/pipelined.ts';
import { type Column, idArray, JsonText } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { type Readers, rowsOf } from '../sql/table-rows.ts';
import { UniformRows } from '../sql/uniform-rows.ts';
import {
  LOCKED_JOB,
  type LockedJob,
  type NewJobType,
  type PendingJob,
  PendingJobs,
  queuedMsOf,
} from './pending-rows.ts';
import { JobEntity, JobInputFileEntity } from './table.ts';

const LOCK_JOBS = {
  name: 'lock_jobs',
  isRead: true,
  text: /* sql */ `
    select ${LOCKED_JOB.sql}, t.is_paused as "isTypePaused", t.max_scheduled as "maxScheduled", (
        select array_agg(n.id) from node n
        where n.id = any($2::bigint[]) and (n.is_paused or not n.is_active)   -- = node_pkey
      ) as "closedNodeIds"
    from job j left join job_type t on t.id = j.job_type_id
    where j.id = any($1::bigint[])
    order by j.id
    for no key update of j   -- = job_pkey`,
};

const NEW_JOB_TYPES = {
  name: 'new_job_types',
  isRead: true,
  text: /* sql */ `
    select t.id as "jobTypeId", t.is_paused as "isTypePaused", t.max_scheduled as "maxScheduled", (
        select array_agg(n.id) from node n
        where n.id = any($2::bigint[]) and (n.is_paused or not n.is_active)   -- = node_pkey
      ) as "closedNodeIds"
    from job_type t where t.id = any($1::bigint[])   -- = job_type_pkey`,
};

/** limit: characters added to a job's reason. */
const NOTE_CHARS_MAX = 800;

/** Jobs that the group's arrivals create, with those of their executions that begin at once. */
export type Arrived = Pick<Arrivals, 'jobs' | 'starts'>;

/** Locks every job that the group changes, and folds the changes. */
export async function pendingJobs(sql: Sql, group: Group, arrived: Arrived): Promise<PendingJobs> {
  const created = new Set<number>();
  for (const job of arrived.jobs) created.add(job.id);
  for (const { change } of group.placed('createJobs')) for (const job of change.jobs) created.add(job.id);
  const ids = touchedIds(group).filter((id) => !created.has(id));
  const typeIds = newTypeIdsOf(group);
  const nodeIds = idArray(nodeIdsOf(group));
  const [locked, newJobTypes] = await Promise.all([
    ids.length === 0 ? [] : sql.execute<LockedJob>(LOCK_JOBS, [idArray(ids), nodeIds]),
    typeIds.length === 0 ? [] : sql.execute<NewJobType>(NEW_JOB_TYPES, [idArray(typeIds), nodeIds]),
  ]);
  const pendingRows = new PendingJobs(group, locked, newJobTypes);
  for (const job of arrived.jobs) pendingRows.create(job);
  for (const start of arrived.starts) pendingRows.start(start);
  for (const placed of group.all) {
    const { change, turn } = placed;
    if (group.isRefused(turn)) continue;
    if (change.type === 'createJobs') for (const job of change.jobs) pendingRows.create(job);
    else if (change.type === 'moveJobs') for (const move of change.moves) pendingRows.move(turn, move);
    else if (change.type === 'stampJobs') pendingRows.stamp(change);
    else if (change.type === 'shareJobs') for (const job of change.jobs) pendingRows.share(turn, job);
    else if (change.type === 'startExecutions') pendingRows.startAll({ ...placed, change });
    else if (change.type === 'placeJobs') pendingRows.startAll({ ...placed, change });
  }
  return pendingRows;
}

/** The types of jobs that the group both creates and places. */
export function newTypeIdsOf(group: Group): number[] {
  const placed = new Set(group.items('placeJobs', ({ starts }) => starts.map((start) => start.jobId)));
  if (placed.size === 0) return [];
  const jobs = group.items('createJobs', (change) => change.jobs).filter(({ id }) => placed.has(id));
  return [...new Set(jobs.map(({ jobTypeId }) => jobTypeId))];
}

/** The nodes that placements of the group use. */
function nodeIdsOf(group: Group): number[] {
  return [...new Set(group.items('placeJobs', ({ starts }) => starts.map((start) => start.nodeId)))];
}

function touchedIds(group: Group): number[] {
  const ids = new Set<number>();
  for (const id of group.items('moveJobs', ({ moves }) => moves.map((move) => move.jobId))) ids.add(id);
  for (const type of ['shareJobs', 'supersedeJobs', 'explainJobs'] as const) {
    for (const id of group.items(type, ({ jobs }) => jobs.map((job) => job.jobId))) ids.add(id);
  }
  for (const type of ['startExecutions', 'placeJobs'] as const) {
    for (const id of group.items(type, ({ starts }) => starts.map((start) => start.jobId))) ids.add(id);
  }
  return [...ids].sort((a, b) => a - b);
}

/** The pending row of a job that the group creates. */
type NewJobRow = PendingJob & { readonly created: NewJob };

const INPUT: Readers<typeof JobEntity, PendingJob> = {
  input: ({ input }) => (input?.inputText === undefined ? input?.input : new JsonText(input.inputText)),
  inputFileSize: (row) => row.input?.inputFileSizeMib,
  sourceStarted: (row) => row.input?.source.startedMs,
  sourceEnded: (row) => row.input?.source.endedMs,
  sourceSensorClass: (row) => row.input?.source.sensorClass,
  sourceSensor: (row) => row.input?.source.sensor,
  sourceCollection: (row) => row.input?.source.collection,
  sourceTask: (row) => row.input?.source.task,
};

const NEW_JOBS = rowsOf(JobEntity).from<NewJobRow>({
  id: (row) => row.id,
  shard: (row) => row.created.shard,
  ownerKind: (row) => row.created.owner.kind,
  ownerKey: (row) => row.created.owner.key,
  jobTypeId: (row) => row.created.jobTypeId,
  jobTypeRevId: (row) => row.created.jobTypeRevId,
  eventId: (row) => row.created.eventId,
  recipeId: (row) => row.created.recipeId,
  recipeNode: (row) => row.created.recipeNode,
  recipeIds: (row) => row.recipeIds,
  batchId: (row) => row.created.batchId,
  batchIds: (row) => row.batchIds,
  supersededJobId: (row) => row.created.supersededJobId,
  timeoutS: (row) => row.created.timeoutS,
  configuration: (row) => row.created.configuration,
  created: (row) => row.created.atMs,
  maxTries: (row) => row.queueing?.maxTries ?? row.created.maxTries,
  priority: (row) => row.queueing?.priority ?? row.created.priority,
  status: (row) => row.status,
  numExes: (row) => row.exeNum,
  requestPosition: (row) => row.requestPosition,
  nodeId: (row) => row.nodeId,
  classKey: (row) => row.queueing?.classKey,
  resources: (row) => row.queueing?.resources ?? {},
  queued: queuedMsOf,
  started: (row) => row.startedMs,
  ended: (row) => row.endedMs,
  lastStatusChange: (row) => row.atMs,
  lastModified: (row) => row.atMs,
  ...INPUT,
});

const INSERT_JOBS = new UniformRows(
  'insert_jobs',
  NEW_JOBS,
  ['id', 'shard', 'owner_key', 'event_id', 'input'],
  (table) => /* sql */ `insert into job (${NEW_JOBS.names}) select * from ${table}`,
);

/** What the statements that move jobs need besides columns: the guard, the time, the error. */
const STEP: readonly Column<PendingJob>[] = [
  ['before', 'text', (row) => row.before],
  ['at', 'ms', (row) => row.atMs],
  ['error_name', 'text', (row) => row.error?.name],
  ['is_builtin', 'bool', (row) => row.error?.isBuiltin],
];

const QUEUED_JOBS = rowsOf(JobEntity).from<PendingJob>(
  {
    id: (row) => row.id,
    status: (row) => row.status,
    numExes: (row) => row.exeNum,
    nodeId: (row) => row.nodeId,
    started: (row) => row.startedMs,
    ended: (row) => row.endedMs,
    maxTries: (row) => row.queueing?.maxTries,
    priority: (row) => row.queueing?.priority,
    classKey: (row) => row.queueing?.classKey,
    resources: (row) => row.queueing?.resources,
    queued: queuedMsOf,
    notBefore: (row) => row.queueing?.notBeforeMs,
    reason: (row) => reasonOf(row.error),
    requestPosition: (row) => row.requestPosition,
    jobTypeRevId: (row) => row.revision?.jobTypeRevId,
    timeoutS: (row) => row.revision?.timeoutS,
    ...INPUT,
  },
  STEP,
);

const REQUEUE_JOBS = new UniformRows(
  'requeue_jobs',
  QUEUED_JOBS,
  ['id', 'num_exes', 'class_key', 'queued', 'input'],
  (table) => /* sql */ `
    update job j set status = d.status, num_exes = d.num_exes, node_id = d.node_id, started = d.started,
      ended = d.ended, error_id = ${errorIdSql('d', 'j.job_type_id')}, reason = d.reason, max_tries = d.max_tries,
      priority = d.priority, class_key = d.class_key, resources = d.resources, queued = d.queued,
      not_before = d.not_before, request_position = coalesce(d.request_position, j.request_position),
      input = coalesce(d.input, j.input), input_file_size = coalesce(d.input_file_size, j.input_file_size),
      source_started = coalesce(d.source_started, j.source_started),
      source_ended = coalesce(d.source_ended, j.source_ended),
      source_sensor_class = coalesce(d.source_sensor_class, j.source_sensor_class),
      source_sensor = coalesce(d.source_sensor, j.source_sensor),
      source_collection = coalesce(d.source_collection, j.source_collection),
      source_task = coalesce(d.source_task, j.source_task),
      job_type_rev_id = coalesce(d.job_type_rev_id, j.job_type_rev_id), timeout_s = coalesce(d.timeout_s, j.timeout_s),
      last_status_change = d.at, last_modified = d.at, object_version = j.object_version + 1
    from ${table}
    where j.id = d.id and ${guarded('j.status')} = d.before   -- = job_pkey
    returning j.id`,
);

const MOVED_JOBS = rowsOf(JobEntity).from<PendingJob>(
  {
    id: (row) => row.id,
    status: (row) => row.status,
    numExes: (row) => row.exeNum,
    nodeId: (row) => row.nodeId,
    started: (row) => row.startedMs,
    ended: (row) => row.endedMs,
    errorId: (row) => row.errorId,
    reason: (row) => reasonOf(row.error),
    output: (row) => row.output,
    requestPosition: (row) => row.requestPosition,
    seedMs: (row) => (row.seedMs === null ? null : Math.round(row.seedMs)),
    jobTypeRevId: (row) => row.revision?.jobTypeRevId,
    timeoutS: (row) => row.revision?.timeoutS,
  },
  STEP,
);

const MOVE_JOBS = new UniformRows(
  'move_jobs',
  MOVED_JOBS,
  ['id', 'started', 'ended', 'output', 'seed_ms', 'at'],
  (table) => /* sql */ `
    update job j set status = d.status, num_exes = d.num_exes, node_id = d.node_id, started = d.started,
      ended = d.ended, error_id = coalesce(${errorIdSql('d', 'j.job_type_id')}, d.error_id),
      reason = case when d.error_name is null and d.error_id is not null then j.reason else d.reason end,
      output = coalesce(d.output, j.output), seed_ms = d.seed_ms,
      job_type_rev_id = coalesce(d.job_type_rev_id, j.job_type_rev_id), timeout_s = coalesce(d.timeout_s, j.timeout_s),
      request_position = coalesce(d.request_position, j.request_position),
      last_status_change = d.at, last_modified = d.at, object_version = j.object_version + 1
    from ${table}
    where j.id = d.id and ${guarded('j.status')} = d.before   -- = job_pkey
    returning j.id`,
);

/** Executions keep the revision that they ran when their job takes another. */
const KEEP_REVISIONS = {
  name: 'keep_execution_revisions',
  text: /* sql */ `
    update job_exe x set job_type_rev_id = j.job_type_rev_id
    from job j where j.id = any($1::bigint[])   -- = job_pkey
      and x.job_id = j.id and x.job_type_rev_id is null   -- = job_exe_num_key`,
};

const NOTES = rowsOf(JobEntity).from<JobNote>(
  {
    id: (row) => row.jobId,
    reason: (row) => reasonText(row.reason, NOTE_CHARS_MAX),
  },
  [['at', 'ms', (row) => row.atMs]],
);

const EXPLAIN_JOBS = {
  name: 'explain_jobs',
  text: /* sql */ `
    update job j set last_modified = greatest(j.last_modified, d.at), reason = case
        when j.reason is null or right(j.reason, char_length(d.reason)) = d.reason then coalesce(j.reason, d.reason)
        else left(j.reason, ${REASON_CHARS_MAX - NOTE_CHARS_MAX - 1}) || E'\\n' || d.reason end
    from ${NOTES.table('d')} where j.id = d.id   -- = job_pkey`,
};

/** Writes notes on jobs, one for each job. */
export async function explainJobs(sql: Sql, group: Group): Promise<void> {
  const notes = new Map(group.items('explainJobs', ({ jobs }) => jobs).map((note) => [note.jobId, note]));
  if (notes.size > 0) await sql.execute(EXPLAIN_JOBS, NOTES.params([...notes.values()]));
}

/**
 * Writes the final states of the pending rows. All statements are sent before the first answer: those that are sent
 * next, which start executions, read the rows as they are written here.
 */
export async function writeJobs(sql: Sql, group: Group, pendingRows: PendingJobs): Promise<void> {
  const changed = pendingRows.changed;
  const created = changed.filter((pending): pending is NewJobRow => pending.created !== null);
  const old = changed.filter((pending) => pending.created === null);
  const revised = old.filter((pending) => pending.revision !== null).map((pending) => pending.id);
  const queued = old.filter((pending) => pending.queueing !== null);
  const moved = old.filter((pending) => pending.queueing === null);
  await pipelined(group, [
    () => INSERT_JOBS.execute(sql, created),
    async () => revised.length > 0 && sql.execute(KEEP_REVISIONS, [idArray(revised)]),
    () => update(sql, REQUEUE_JOBS, queued),
    () => update(sql, MOVE_JOBS, moved),
  ]);
}

async function update(
  sql: Sql,
  statement: UniformRows<PendingJob>,
  pendingRows: readonly PendingJob[],
): Promise<void> {
  const rows = await statement.execute<{ id: number }>(sql, pendingRows);
  assert(
    rows.length === pendingRows.length,
    `${rows.length} of ${pendingRows.length} locked jobs were written`,
  );
}

interface InputLink {
  readonly jobId: number;
  readonly input: string;
  readonly fileIds: readonly number[];
}

const LINKS = rowsOf(JobInputFileEntity).from<InputLink>(
  {
    jobId: (row) => row.jobId,
    input: (row) => row.input,
  },
  [['file_ids', 'ids', (row) => row.fileIds]],
);

const LINK_INPUTS = {
  name: 'link_job_inputs',
  text: /* sql */ `
    insert into job_input_file (job_id, input, file_id)
    select d.job_id, d.input, f.file_id from ${LINKS.table('d')} cross join lateral unnest(d.file_ids) as f (file_id)
    on conflict do nothing`,
};

/** Links jobs that got their input to its files. The files exist by now. */
export async function linkJobInputs(sql: Sql, pendingRows: PendingJobs): Promise<void> {
  const links = pendingRows.changed.flatMap(({ id, input }) =>
    Object.entries(input?.input.files ?? {}).map(
      ([name, fileIds]): InputLink => ({ jobId: id, input: name, fileIds }),
    ),
  );
  if (links.length > 0) await sql.execute(LINK_INPUTS, LINKS.params(links));
}

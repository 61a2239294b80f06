/** Jobs and executions of a group. What the group makes of jobs is worked out by the real store's pending rows. */
import type { ExecutionEnd, NewJob } from '../../../../src/domain/job/job.ts';
import type { PhaseTime } from '../../../../src/domain/task/task-result.ts';
import { endInOrder } from '../../../../src/store/execution/save.ts';
import {
  type LockedJob,
  type NewJobType,
  type PendingJob,
  PendingJobs,
  type QueuedStart,
} from '../../../../src/store/job/pending-rows.ts';
import { type Arrived, newTypeIdsOf } from '../../../../src/store/job/save.ts';
import type { Group } from '../../../../src/store/sql/group.ts';
import type { JobRow, Tables } from '../tables.ts';
import { violated } from '../violated.ts';

/** What a group learns of the jobs that it locks. */
export type LockedRows = (rows: readonly LockedJob[], group: Group) => readonly LockedJob[];
/** The same of the types of jobs that it creates and places. */
export type NewJobTypes = (types: readonly NewJobType[], group: Group) => readonly NewJobType[];

/** Folds all changes of jobs; refuses turns whose guards fail. */
export function pendingJobs(
  tables: Tables,
  group: Group,
  arrived: Arrived,
  { lock, readTypes }: { readonly lock: LockedRows; readonly readTypes: NewJobTypes },
): PendingJobs {
  const locked = lock(lockedJobs(tables, group), group);
  const pendingRows = new PendingJobs(group, locked, readTypes(newJobTypes(tables, group), group));
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

function lockedJobs(tables: Tables, group: Group): LockedJob[] {
  const ids = new Set<number>();
  for (const { change } of group.all) {
    if (change.type === 'moveJobs') for (const move of change.moves) ids.add(move.jobId);
    else if (change.type === 'shareJobs' || change.type === 'supersedeJobs')
      for (const job of change.jobs) ids.add(job.jobId);
    else if (change.type === 'startExecutions' || change.type === 'placeJobs') {
      for (const start of change.starts) ids.add(start.jobId);
    }
  }
  const closedNodeIds = closedNodes(tables);
  const rows = [...ids].sort((a, b) => a - b).flatMap((id) => tables.jobs.get(id) ?? []);
  return rows.map((row) => ({
    id: row.id,
    jobTypeId: row.jobTypeId,
    status: row.status,
    numExes: row.exeNum,
    recipeIds: row.recipeIds,
    recipeNode: row.recipeNode,
    batchIds: row.batchIds,
    seedMs: null,
    nodeId: row.nodeId,
    errorId: null,
    started: row.startedMs,
    ended: row.endedMs,
    queued: row.exeNum === 0 ? null : row.queuedMs,
    lastStatusChange: row.changedMs,
    isTypePaused: tables.jobTypes.get(row.jobTypeId)?.isPaused ?? false,
    maxScheduled: tables.jobTypes.get(row.jobTypeId)?.maxScheduled ?? null,
    closedNodeIds,
  }));
}

function newJobTypes(tables: Tables, group: Group): NewJobType[] {
  const closedNodeIds = closedNodes(tables);
  return newTypeIdsOf(group).map((jobTypeId) => ({
    jobTypeId,
    isTypePaused: tables.jobTypes.get(jobTypeId)?.isPaused ?? false,
    maxScheduled: tables.jobTypes.get(jobTypeId)?.maxScheduled ?? null,
    closedNodeIds,
  }));
}

function closedNodes(tables: Tables): number[] {
  const closed = [...tables.nodes.rows.values()].filter((node) => node.isPaused || !node.isActive);
  return closed.map((node) => node.id);
}

export function writeJobs(tables: Tables, pendingRows: PendingJobs): void {
  for (const pending of pendingRows.changed) {
    if (pending.created === null) tables.jobs.put(moved(tables.jobs.at(pending.id), pending));
    else if (!tables.jobs.insert(moved(rowOf(pending.created), pending))) violated('job_pkey');
  }
  for (const start of pendingRows.starts) startExecution(tables, start);
}

/** Jobs that newer recipes hold, too, and those that are superseded. */
export function writeSharing(tables: Tables, group: Group): void {
  for (const shared of group.items('shareJobs', (change) => change.jobs)) {
    const { jobId, recipeIds, batchIds, liveRecipeId, liveBatchId } = shared;
    const row = tables.jobs.at(jobId);
    const all = { recipeIds: [...row.recipeIds, ...recipeIds], batchIds: [...row.batchIds, ...batchIds] };
    tables.jobs.put({ ...row, ...all, liveRecipeId, liveBatchId });
  }
  for (const { jobId } of group.items('supersedeJobs', (change) => change.jobs)) {
    if (tables.jobs.get(jobId)?.isSuperseded === false) tables.jobs.patch(jobId, { isSuperseded: true });
  }
}

/** Inputs of jobs, once the sources of the same group are in. */
export function checkJobInputs(tables: Tables, pendingRows: PendingJobs): void {
  for (const { input } of pendingRows.changed)
    checkFiles(tables, input?.input.files ?? {}, 'job_input_file_file_id_fkey');
}

/** What a purge has removed is nobody's input any more. */
export function checkFiles(
  tables: Tables,
  files: Readonly<Record<string, readonly number[]>>,
  constraint: string,
): void {
  if (Object.values(files).some((ids) => ids.some((id) => tables.files.get(id) === undefined)))
    violated(constraint);
}

function rowOf(job: NewJob): JobRow {
  const { queueing, ...rest } = job;
  return {
    ...rest,
    exeNum: 0,
    nodeId: null,
    error: null,
    classKey: null,
    resources: {},
    queuedMs: 0,
    startedMs: null,
    endedMs: null,
    changedMs: job.atMs,
    notBeforeMs: null,
    output: null,
    batchIds: job.batchIds ?? [],
    liveRecipeId: null,
    liveBatchId: null,
    isSuperseded: false,
    requestPosition: null,
  };
}

function moved(row: JobRow, pending: PendingJob): JobRow {
  const { queueing } = pending;
  return {
    ...row,
    status: pending.status,
    exeNum: pending.exeNum,
    nodeId: pending.nodeId,
    startedMs: pending.startedMs,
    endedMs: pending.endedMs,
    changedMs: pending.atMs,
    error: pending.error,
    input: pending.input ?? row.input,
    output: pending.output ?? row.output,
    requestPosition: pending.requestPosition ?? row.requestPosition,
    ...(queueing === null
      ? {}
      : {
          maxTries: queueing.maxTries,
          priority: queueing.priority,
          classKey: queueing.classKey,
          resources: queueing.resources,
          queuedMs: queueing.queuedMs ?? queueing.atMs,
          notBeforeMs: queueing.notBeforeMs ?? null,
        }),
  };
}

function startExecution(tables: Tables, start: QueuedStart): void {
  const { executionId: id, jobId, exeNum, nodeId, atMs: startedMs } = start;
  const queuedMs = start.queuedMs ?? 0;
  const job = tables.jobs.at(jobId);
  const hasNumber = (one: { jobId: number; exeNum: number }) => one.jobId === jobId && one.exeNum === exeNum;
  if (tables.executions.withKey(jobId).some(hasNumber)) violated('job_exe_num_key');
  const { jobTypeId, resources } = job;
  const ended = { endedMs: null, phases: [], status: 'RUNNING', error: null };
  const row = { id, jobId, exeNum, jobTypeId, nodeId, resources, queuedMs, startedMs, ...ended };
  if (!tables.executions.insert(row as never)) violated('job_exe_pkey');
}

/** Soft: what has ended stays as it is. */
export function endExecutions(tables: Tables, group: Group, phasesOf: StoredPhases): void {
  for (const end of group.items('endExecutions', (change) => change.ends)) {
    const row = tables.executions.get(end.executionId);
    if (row?.status !== 'RUNNING') continue;
    const endedMs = Math.max(end.atMs, row.startedMs);
    const phases = phasesOf(end, row.startedMs);
    tables.executions.put({ ...row, endedMs, phases, status: end.status, error: end.error });
  }
}

/** What is stored of the phases that an agent reports of an execution which began at `startedMs`. */
export type StoredPhases = (end: ExecutionEnd, startedMs: number) => readonly PhaseTime[];

export const storedPhases: StoredPhases = (end, startedMs) =>
  endInOrder(end).phases.map((phase) => ({
    ...phase,
    startedMs: Math.max(phase.startedMs, startedMs),
    endedMs: phase.endedMs === null ? null : Math.max(phase.endedMs, startedMs),
  }));

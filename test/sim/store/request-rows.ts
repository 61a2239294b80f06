/** What requests for many jobs read of the simulated database. */
import type { JobRequestRows } from '../../../src/api/job-requests/pages.ts';
import {
  type JobChoice,
  type JobRequest,
  type JobScope,
  namesJobsOrTypes,
  scopeOf,
} from '../../../src/domain/job/job-request.ts';
import type { JobSpan } from '../../../src/store/job-request/choices.ts';
import { type JobRow, liveOf, type Tables } from './tables.ts';

/** What rows of jobs do not say. */
export interface TypeFacts {
  nameOf(jobTypeId: number): string;
  isOfSystem(job: JobRow): boolean;
}

export function loadJobRequests(tables: Tables, ids: readonly number[]): Map<number, JobRequest> {
  const rows = ids.flatMap((id) => tables.jobRequests.get(id) ?? []);
  return new Map(
    rows.map(({ shard: _, ...row }) => [
      row.id,
      { ...row, hasBacklog: tables.backlog.withKey(row.id).length > 0 },
    ]),
  );
}

export function dueJobRequests(tables: Tables, shards: readonly number[]): number[] {
  const due = tables.jobRequests.where((one) => !one.isDone && shards.includes(one.shard));
  return due.sort((a, b) => a.position - b.position).map((one) => one.id);
}

const MOVABLE: Readonly<Record<JobRequest['action'], readonly string[]>> = {
  cancel: ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED'],
  requeue: ['QUEUED', 'RUNNING', 'FAILED', 'CANCELED'],
};

function mayBe<T>(values: readonly T[], value: T | null): boolean {
  return values.length === 0 || (value !== null && values.includes(value));
}

function isInScope(job: JobRow, choice: JobChoice, facts: TypeFacts): boolean {
  const { recipeId, batchId } = liveOf(job);
  return (
    mayBe(choice.jobIds, job.id) &&
    mayBe(choice.jobTypeIds, job.jobTypeId) &&
    mayBe(choice.jobTypeNames, facts.nameOf(job.jobTypeId)) &&
    mayBe(choice.batchIds, batchId) &&
    mayBe(choice.recipeIds, recipeId) &&
    (namesJobsOrTypes(choice) || !facts.isOfSystem(job))
  );
}

function isInState(job: JobRow, { action, choice, position }: JobRequest): boolean {
  return (
    MOVABLE[action].includes(job.status) &&
    (choice.status === null || choice.status === job.status) &&
    (action === 'cancel' || !job.isSuperseded) &&
    (job.requestPosition === null || job.requestPosition < position) &&
    (choice.isSuperseded === null || choice.isSuperseded === job.isSuperseded)
  );
}

function isInSpan(id: number, { fromId, beforeId }: JobSpan): boolean {
  return id >= fromId && (beforeId === null || id < beforeId);
}

/** Whether two scopes may have a job in common. */
export function mayOverlap(a: JobScope, b: JobScope): boolean {
  const meet = <T>(left: readonly T[] | null, right: readonly T[] | null): boolean =>
    left === null || right === null || right.some((value) => left.includes(value));
  return (
    meet(a.jobIds, b.jobIds) &&
    meet(a.jobTypeIds, b.jobTypeIds) &&
    meet(a.jobTypeNames, b.jobTypeNames) &&
    meet(a.batchIds, b.batchIds) &&
    meet(a.recipeIds, b.recipeIds)
  );
}

const downward = (a: number, b: number) => b - a;

export function memoryRequestRows(
  tables: Tables,
  facts: TypeFacts,
  run: <T>(statement: () => T) => Promise<T>,
): JobRequestRows {
  return {
    scopedJobs: (ids) =>
      run(() =>
        [...new Set(ids)]
          .flatMap((id) => tables.jobs.get(id) ?? [])
          .map(({ id, jobTypeId, ...job }) => {
            const batchIds = [job.batchId, job.liveBatchId].filter((one) => one !== null);
            const recipeIds = [job.recipeId, job.liveRecipeId].filter((one) => one !== null);
            return { id, jobTypeId, jobTypeName: facts.nameOf(jobTypeId), batchIds, recipeIds };
          }),
      ),
    earlierRequests: (position, scope) =>
      run(() =>
        tables.jobRequests
          .where((one) => !one.isDone && one.position < position && mayOverlap(scopeOf(one.choice), scope))
          .map(({ id, beforeId }) => ({ id, beforeId })),
      ),
    chosenJobs: (request, span, limit) =>
      run(() =>
        tables.jobs
          .where((one) => isInSpan(one.id, span) && isInState(one, request))
          .filter((one) => isInScope(one, request.choice, facts))
          .sort((a, b) => downward(a.id, b.id))
          .slice(0, limit)
          .map(({ id, owner }) => ({ id, owner })),
      ),
    heldJobs: (request, earlier, span, limit) =>
      run(() => {
        const ids = earlier.flatMap(({ id }) => tables.backlog.withKey(id).map(({ jobId }) => jobId));
        const jobs = [...new Set(ids)].flatMap((id) => tables.jobs.get(id) ?? []);
        const held = jobs.filter((one) => isInSpan(one.id, span) && isInScope(one, request.choice, facts));
        return held
          .map(({ id }) => id)
          .sort(downward)
          .slice(0, limit);
      }),
    areBatchesWhole: (ids) => run(() => ids.every((id) => tables.batches.get(id)?.isCreationDone !== false)),
    // No diagnostics are simulated.
    areRunsWhole: async () => true,
    backlogPage: ({ id, position }, belowId, limit) =>
      run(() =>
        tables.backlog
          .withKey(id)
          .filter(({ jobId }) => belowId === null || jobId < belowId)
          .sort((a, b) => downward(a.jobId, b.jobId))
          .slice(0, limit)
          .map(({ jobId, isChosen }) => {
            const job = tables.jobs.get(jobId);
            return {
              ...{ jobId, isChosen, owner: job?.owner ?? null },
              isPassed: (job?.requestPosition ?? 0) >= position,
              isHeld: isHeld(tables, jobId, position),
            };
          }),
      ),
  };
}

function isHeld(tables: Tables, jobId: number, position: number): boolean {
  return (
    tables.backlog.where(
      (one) => one.jobId === jobId && tables.jobRequests.at(one.requestId).position < position,
    ).length > 0
  );
}

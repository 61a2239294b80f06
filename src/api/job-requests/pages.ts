/**
 * Executes requests to cancel or requeue jobs, a page at a time, through the owners of the jobs. A request changes a
 * job after every earlier request that may choose it. Repeating a page is harmless, because a job records the last
 * request that changed it.
 */
import { type CancelJobs, ownerAddress, type RequeueJobs } from '../../actors/owner.messages.ts';
import {
  type BacklogJob,
  type BacklogPage,
  type JobRequest,
  type JobRequestPage,
  type JobScope,
  PASSED_ALL,
  type ScopedJob,
  scopeOf,
  scopeOfJobs,
} from '../../domain/job/job-request.ts';
import type { System } from '../../kernel/mod.ts';
import {
  areBatchesWhole,
  areRunsWhole,
  type BacklogState,
  backlogPage,
  type ChosenJob,
  chosenJobs,
  earlierRequests,
  heldJobs,
  type JobSpan,
  type OpenRequest,
  scopedJobs,
} from '../../store/job-request/choices.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { ASK_DEADLINE_MS } from '../shared/requests.ts';

/** The rows of requests and of the jobs that they choose. */
export interface JobRequestRows {
  scopedJobs(jobIds: readonly number[]): Promise<readonly ScopedJob[]>;
  earlierRequests(position: number, scope: JobScope): Promise<readonly OpenRequest[]>;
  chosenJobs(request: JobRequest, span: JobSpan, limit: number): Promise<readonly ChosenJob[]>;
  heldJobs(
    request: JobRequest,
    earlier: readonly OpenRequest[],
    span: JobSpan,
    limit: number,
  ): Promise<readonly number[]>;
  areBatchesWhole(batchIds: readonly number[]): Promise<boolean>;
  areRunsWhole(request: JobRequest): Promise<boolean>;
  backlogPage(request: JobRequest, belowId: number | null, limit: number): Promise<readonly BacklogState[]>;
}

export function jobRequestRows(sql: Sql): JobRequestRows {
  return {
    scopedJobs: (ids) => scopedJobs(sql, ids),
    earlierRequests: (position, scope) => earlierRequests(sql, position, scope),
    chosenJobs: (request, span, limit) => chosenJobs(sql, request, span, limit),
    heldJobs: (request, earlier, span, limit) => heldJobs(sql, request, earlier, span, limit),
    areBatchesWhole: (ids) => areBatchesWhole(sql, ids),
    areRunsWhole: (request) => areRunsWhole(sql, request),
    backlogPage: (request, belowId, limit) => backlogPage(sql, request, belowId, limit),
  };
}

export interface JobRequestPageParts {
  readonly rows: JobRequestRows;
  readonly system: Pick<System, 'ask'>;
  /** Jobs of one page. */
  readonly pageSize: number;
}

/** limit: jobs of one page. */
export const JOB_PAGE = 1_000;
/** limit: concurrent requests to owners. */
const ASKS_MAX = 32;

/**
 * Executes the next page below the cursor: sends one request to each owner of its jobs. Unsettled jobs go to the
 * backlog. Rejects if rows could not be read: then the page has to be repeated.
 */
export async function advanceJobRequest(
  parts: JobRequestPageParts,
  request: JobRequest,
): Promise<JobRequestPage> {
  const { rows, pageSize } = parts;
  // Read before jobs are chosen; the next walk over all jobs finds those that batches and runs add meanwhile.
  const hasWholeBatches = await rows.areBatchesWhole(request.choice.batchIds);
  const hasWholeRuns = await rows.areRunsWhole(request);
  const isWhole = { hasWholeBatches, hasWholeRuns };
  const earlier = await rows.earlierRequests(request.position, await scopeOfRequest(rows, request));
  const fromId = passedByAll(earlier);
  const isBehind = fromId === undefined || (request.beforeId !== null && fromId >= request.beforeId);
  // A requeue does not have to walk again, because new jobs are queued already.
  if (isBehind || (request.action === 'requeue' && !hasWholeRuns))
    return { beforeId: request.beforeId, added: [], isStalled: true, ...isWhole };
  const span = { fromId, beforeId: request.beforeId, isLiveOnly: !hasWholeRuns };
  // The order matters: a job that leaves an earlier request's backlog meanwhile is then chosen by its later state.
  const held = await rows.heldJobs(request, earlier, span, pageSize);
  const chosen = await rows.chosenJobs(request, span, pageSize);
  const full = [held.at(pageSize - 1), chosen[pageSize - 1]?.id].filter((id) => id !== undefined);
  const beforeId = Math.max(fromId, ...full);
  const isHeld = new Set(held);
  const selected = chosen.filter(({ id }) => id >= beforeId && !isHeld.has(id));
  const open = await askOwners(parts, request, selected);
  const added: BacklogJob[] = [
    ...held.filter((id) => id >= beforeId).map((jobId) => ({ jobId, isChosen: false })),
    ...[...open].map((jobId) => ({ jobId, isChosen: true })),
  ];
  const isStalled = selected.length > 0 && open.size === selected.length;
  return { beforeId, added, isStalled, ...isWhole };
}

/** The scope of a request that names jobs is only these jobs, so that requests for others need not wait. */
async function scopeOfRequest(rows: JobRequestRows, { choice }: JobRequest): Promise<JobScope> {
  return choice.jobIds.length === 0 ? scopeOf(choice) : scopeOfJobs(await rows.scopedJobs(choice.jobIds));
}

/** The lowest id that all of these requests have passed; undefined if one of them has not begun. */
function passedByAll(earlier: readonly OpenRequest[]): number | undefined {
  let fromId: number = PASSED_ALL;
  for (const { beforeId } of earlier) {
    if (beforeId === null) return undefined;
    fromId = Math.max(fromId, beforeId);
  }
  return fromId;
}

/**
 * Sends requests to the owners of jobs in the backlog again, and applies the filters to jobs that an earlier request
 * held back.
 */
export async function workOffBacklog(
  parts: JobRequestPageParts,
  request: JobRequest,
  belowId: number | null,
): Promise<BacklogPage> {
  const { rows, pageSize } = parts;
  const page = await rows.backlogPage(request, belowId, pageSize);
  const free = page.filter((job) => !job.isHeld && !job.isPassed && job.owner !== null);
  const chosen = await chosenOf(parts, request, free);
  const open = await askOwners(parts, request, chosen);
  const settled = page.filter(({ jobId, isHeld, isPassed, owner }) => {
    return owner === null || isPassed || (!isHeld && !open.has(jobId));
  });
  return {
    settled: settled.map(({ jobId }) => jobId),
    openCount: page.length - settled.length,
    nextBelowId: page.length < pageSize ? null : (page.at(-1)?.jobId ?? null),
  };
}

async function chosenOf(
  { rows, pageSize }: JobRequestPageParts,
  request: JobRequest,
  jobs: readonly BacklogState[],
): Promise<readonly ChosenJob[]> {
  const known = jobs.flatMap(({ jobId: id, isChosen, owner }) => {
    return isChosen && owner !== null ? [{ id, owner }] : [];
  });
  const jobIds = jobs.flatMap(({ jobId, isChosen }) => (isChosen ? [] : [jobId]));
  if (jobIds.length === 0) return known;
  // All of them are within the request's scope, so their ids may replace its filters.
  const named = { ...request, choice: { ...request.choice, jobIds } };
  const span = { fromId: PASSED_ALL, beforeId: null };
  return [...known, ...(await rows.chosenJobs(named, span, pageSize))];
}

/** Sends one request to each owner. Returns the ids of jobs for which it has to be repeated. */
async function askOwners(
  parts: JobRequestPageParts,
  request: JobRequest,
  jobs: readonly ChosenJob[],
): Promise<ReadonlySet<number>> {
  const owners = [...Map.groupBy(jobs, ({ owner }) => `${owner.kind}/${owner.key}`).values()];
  const open = new Set<number>();
  const work = async (): Promise<void> => {
    for (let some = owners.pop(); some !== undefined; some = owners.pop()) {
      for (const id of await askOwner(parts, request, some)) open.add(id);
    }
  };
  await Promise.all(Array.from({ length: ASKS_MAX }, work));
  return open;
}

async function askOwner(
  { system }: JobRequestPageParts,
  { action, priority, revision, position }: JobRequest,
  jobs: readonly ChosenJob[],
): Promise<readonly number[]> {
  const [first] = jobs;
  if (first === undefined) return [];
  const jobIds = jobs.map((job) => job.id);
  const message: CancelJobs | RequeueJobs =
    action === 'cancel'
      ? { type: 'cancelJobs', jobIds, position }
      : {
          ...{ type: 'requeueJobs', jobIds, position },
          ...(priority === null ? {} : { priority }),
          ...(revision === null ? {} : { revision }),
        };
  try {
    const answer = await system.ask(ownerAddress(first.owner), message, { deadlineMs: ASK_DEADLINE_MS });
    return answer.openJobIds ?? [];
  } catch {
    // The owner could not be reached, was too busy, or failed. Repeating the request is safe in each case.
    return jobIds;
  }
}

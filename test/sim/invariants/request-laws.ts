/**
 * What must hold of requests to cancel or requeue many jobs: each that was answered is done, in the order of answers.
 */
import { type JobChoice, PASSED_ALL } from '../../../src/domain/job/job-request.ts';
import type { SentRequest } from '../sent.ts';
import type { RowChange } from '../store/table.ts';
import {
  type IngestRow,
  type JobRequestRow,
  type JobRow,
  liveOf,
  type ScanDbRow,
  type Tables,
} from '../store/tables.ts';
import type { World } from '../world.ts';

type Fail = (law: string, what: string) => void;

const LIVE: readonly IngestRow['status'][] = ['TRANSFERRED', 'INGESTING'];

/** Statuses in which a request has nothing to do. */
const NOTHING_TO_DO: Readonly<Record<JobRequestRow['action'], readonly JobRow['status'][]>> = {
  cancel: ['COMPLETED', 'CANCELED'],
  requeue: ['COMPLETED', 'PENDING', 'BLOCKED'],
};

/** Whatever its status. */
function isMeant(job: JobRow, choice: JobChoice): boolean {
  const may = (values: readonly number[], value: number | null) =>
    values.length === 0 || (value !== null && values.includes(value));
  const { recipeId, batchId } = liveOf(job);
  return (
    ['job', 'recipe'].includes(job.owner.kind) &&
    may(choice.jobIds, job.id) &&
    may(choice.jobTypeIds, job.jobTypeId) &&
    may(choice.batchIds, batchId) &&
    may(choice.recipeIds, recipeId)
  );
}

function hasWork({ action }: Pick<JobRequestRow, 'action'>, job: JobRow): boolean {
  const isLost = action === 'requeue' && job.status === 'FAILED' && job.exeNum === 0;
  return !job.isSuperseded && !isLost && !NOTHING_TO_DO[action].includes(job.status);
}

function isPurged({ purgeJobs, purgeTrees }: Tables, job: JobRow): boolean {
  const members = job.owner.kind === 'recipe' ? purgeTrees : purgeJobs;
  return members.where((one) => one.key === job.owner.key).length > 0;
}

export class RequestLaws {
  /** By request: jobs on which it has had something to do ever since it was made. */
  readonly #due = new Map<number, Set<number>>();
  /** By request: jobs that it meant when it came past them. Later recipes and batches may take more of them over. */
  readonly #passed = new Map<number, Set<number>>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  check(changes: readonly RowChange[], fail: Fail): void {
    for (const { table, before, after } of changes) {
      if (after === undefined) continue;
      if (table === 'scan') this.#scan(before as ScanDbRow | undefined, after as ScanDbRow, fail);
      else if (table === 'job') this.#job(before as JobRow | undefined, after as JobRow, fail);
      else if (table === 'job_request') {
        const row = after as JobRequestRow;
        this.#pass(before as JobRequestRow | undefined, row);
        if (before === undefined) this.#made(row);
        else if (row.isDone) this.#done(row, fail);
      }
    }
  }

  /** A cancel of a scan is done when none of the ingests that it meant is live. */
  #scan(before: ScanDbRow | undefined, after: ScanDbRow, fail: Fail): void {
    const through = before?.cancelThrough;
    if (through == null || after.cancelThrough !== null) return;
    const live = this.#world.store.tables.ingests.where(
      ({ id, owner, status }) =>
        owner.kind === 'scan' && owner.key === after.id && id <= through && LIVE.includes(status),
    );
    if (live.length > 0)
      fail(
        'a cancel is done when all of it is',
        `scan ${after.id}: ingest ${live[0]?.id} is ${live[0]?.status}`,
      );
  }

  #made(request: JobRequestRow): void {
    const { action, choice } = request;
    if (choice.status !== null) return;
    const jobs = this.#world.store.tables.jobs.where(
      (job) => isMeant(job, choice) && hasWork({ action }, job),
    );
    this.#due.set(request.id, new Set(jobs.map((job) => job.id)));
  }

  #pass(before: JobRequestRow | undefined, { id, choice, beforeId }: JobRequestRow): void {
    if (beforeId === null) return;
    const passed = this.#passed.get(id) ?? new Set();
    this.#passed.set(id, passed);
    const fromId = before?.beforeId ?? Number.POSITIVE_INFINITY;
    const { jobs } = this.#world.store.tables;
    for (const job of jobs.where((one) => one.id >= beforeId && one.id < fromId && isMeant(one, choice)))
      passed.add(job.id);
  }

  #job(before: JobRow | undefined, after: JobRow, fail: Fail): void {
    const { tables } = this.#world.store;
    for (const [id, due] of this.#due) {
      const request = tables.jobRequests.get(id);
      if (request === undefined || !due.has(after.id)) continue;
      // A later recipe may have carried it over, by a request that was under way at the same time.
      if (!hasWork(request, after) || !isMeant(after, request.choice)) due.delete(after.id);
    }
    const position = after.requestPosition;
    if (before === undefined || position === null || position === before.requestPosition) return;
    if (position < (before.requestPosition ?? 0))
      fail(
        'requests change a job in their order',
        `job ${after.id}: ${before.requestPosition}, then ${position}`,
      );
    this.#followed(after, position, fail);
  }

  /** No request changes a job once a later one, sent after its answer, has come past the job. */
  #followed(job: JobRow, position: number, fail: Fail): void {
    const { tables } = this.#world.store;
    const [row] = tables.jobRequests.where((one) => one.position === position);
    const sent = this.#world.sentRequests.find(({ request }) => request.id === row?.id);
    // Later rounds look for what a batch has made since.
    if (row === undefined || sent?.answeredAt === undefined || row.choice.batchIds.length > 0) return;
    for (const later of this.#world.sentRequests) {
      if (later.sentAt < sent.answeredAt || !isMeant(job, later.request.choice)) continue;
      if (this.#passed.get(later.request.id)?.has(job.id) !== true) continue;
      const other = tables.jobRequests.get(later.request.id);
      if (other === undefined || other.beforeId === null || job.id < other.beforeId) continue;
      if (tables.backlog.get(`${other.id}/${job.id}`) === undefined)
        fail(
          'requests take effect in the order of their answers',
          `job ${job.id}: ${row.id} after ${other.id}`,
        );
    }
  }

  #done(request: JobRequestRow, fail: Fail): void {
    const { tables } = this.#world.store;
    if (tables.backlog.withKey(request.id).length > 0 || request.beforeId !== PASSED_ALL)
      fail('a request is done when all of it is', `request ${request.id}`);
    for (const jobId of this.#due.get(request.id) ?? []) {
      const job = tables.jobs.get(jobId);
      if (job === undefined || (job.requestPosition ?? 0) >= request.position || isPurged(tables, job))
        continue;
      fail('a request is done when all of it is', `request ${request.id}: job ${jobId} is ${job.status}`);
    }
    this.#due.delete(request.id);
  }
}

/** Why the world is not at rest, as a sentence; undefined when it is. */
export function openRequest({ store }: World): string | undefined {
  const [open] = store.tables.jobRequests.where((one) => !one.isDone);
  return open === undefined ? undefined : `request ${open.id} to ${open.action} jobs is at ${open.beforeId}`;
}

export function checkRequests({ store, sentRequests }: World, fail: Fail): void {
  const isGone = ({ request, answeredAt }: SentRequest) =>
    answeredAt !== undefined && store.tables.jobRequests.get(request.id) === undefined;
  for (const { request } of sentRequests.filter(isGone))
    fail('what was answered is kept', `request ${request.id}`);
}

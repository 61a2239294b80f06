/** Requests to cancel or requeue jobs: taken from the interface, and worked off page by page through the owners. */
import { type JobRequestMessage, jobRequestAddress } from '../actors/job-request/job-request.messages.ts';
import { ownerAddress } from '../actors/owner.messages.ts';
import {
  isUnbounded,
  type JobChoice,
  type JobRequest,
  type JobRequestAction,
  type JobRequestPage,
} from '../domain/job/job-request.ts';
import { parseMoment } from '../domain/times.ts';
import { IssueList } from '../domain/validation.ts';
import type { JobCancelBody, JobRequestRouteDeps, JobRequeueBody } from '../http/v6/job-requests.ts';
import { type IdPort, type System, shardOf } from '../kernel/mod.ts';
import { type ChosenJob, chosenJobs } from '../store/job-requests.ts';
import { findJobTypeRow } from '../store/queries/catalog-facts.ts';
import type { Sql } from '../store/sql.ts';
import { ASK_DEADLINE_MS, FIRST_ASK, freshId, refuseProblems, unknownReference } from './requests.ts';

export interface JobRequestParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'ask'>;
}

export function jobRequestsApp(parts: JobRequestParts): JobRequestRouteDeps['jobRequests'] {
  return {
    cancel: (body, nowMs) => begin(parts, 'cancel', body, nowMs),
    requeue: (body, nowMs) => begin(parts, 'requeue', body, nowMs),
  };
}

async function begin(
  { sql, ids, system }: JobRequestParts,
  action: JobRequestAction,
  body: JobCancelBody & Pick<JobRequeueBody, 'priority'>,
  nowMs: number,
): Promise<void> {
  const choice = await choiceOf(sql, body, nowMs);
  const requestId = await freshId(ids, 'job_request');
  const address = jobRequestAddress(requestId);
  const message: JobRequestMessage = {
    type: 'begin',
    request: {
      id: requestId,
      shard: shardOf(address.kind, address.key),
      action,
      choice,
      priority: body.priority ?? null,
      atMs: nowMs,
    },
  };
  await system.ask(address, message, FIRST_ASK);
}

async function choiceOf(sql: Sql, body: JobCancelBody, nowMs: number): Promise<JobChoice> {
  const issues = new IssueList();
  const range = rangeOf(body, nowMs, issues);
  const typeIds = [...(body.job_type_ids ?? [])];
  for (const [index, { name, version }] of (body.job_types ?? []).entries()) {
    const found = await findJobTypeRow(sql, name, version);
    if (found !== undefined) typeIds.push(found.id);
    else if (issues.ok) {
      throw unknownReference(`job_types[${index}]`, `there is no job type ${name} ${version}`);
    }
  }
  const choice: JobChoice = {
    ...range,
    status: body.status ?? null,
    jobIds: body.job_ids ?? [],
    jobTypeIds: typeIds,
    jobTypeNames: body.job_type_names ?? [],
    batchIds: body.batch_ids ?? [],
    recipeIds: body.recipe_ids ?? [],
    errorCategories: body.error_categories ?? [],
    errorIds: body.error_ids ?? [],
    isSuperseded: body.is_superseded ?? null,
  };
  if (issues.ok && isUnbounded(choice)) {
    issues.error(
      'MISSING_FILTER',
      '',
      'at least one filter is required: without any, every job would be meant',
    );
  }
  refuseProblems(issues);
  return choice;
}

function rangeOf(
  body: JobCancelBody,
  nowMs: number,
  issues: IssueList,
): Pick<JobChoice, 'startedMs' | 'endedMs'> {
  const moment = (name: 'started' | 'ended'): number | null => {
    const text = body[name];
    if (text === undefined) return null;
    const atMs = parseMoment(text, nowMs);
    if (atMs === undefined)
      issues.error('NOT_A_TIME', name, 'must be an ISO-8601 instant with a zone, or a duration');
    return atMs ?? null;
  };
  const range = { startedMs: moment('started'), endedMs: moment('ended') };
  if (issues.ok && range.startedMs !== null) {
    const endedMs = range.endedMs ?? nowMs;
    if (range.startedMs === endedMs) issues.error('EMPTY_RANGE', 'started', 'must differ from ended');
    else if (range.startedMs > endedMs) issues.error('REVERSED_RANGE', 'started', 'must come before ended');
  }
  return range;
}

/** Jobs of one page. */
const PAGE = 1_000;
/** Owners that are asked at a time. */
const ASKS_MAX = 32;

/** Does one page: the owners of its jobs are asked, each once. Rejects when the jobs could not be read. */
export async function applyJobRequest(
  { sql, system }: Pick<JobRequestParts, 'sql' | 'system'>,
  request: JobRequest,
): Promise<JobRequestPage> {
  const chosen = await chosenJobs(sql, request, PAGE);
  const owners = [...Map.groupBy(chosen, ({ owner }) => `${owner.kind}/${owner.key}`).values()];
  let failedCount = 0;
  const work = async (): Promise<void> => {
    for (let jobs = owners.pop(); jobs !== undefined; jobs = owners.pop()) {
      const isAsked = await askOwner(system, request, jobs);
      if (!isAsked) failedCount += jobs.length;
    }
  };
  await Promise.all(Array.from({ length: ASKS_MAX }, work));
  const last = chosen.length < PAGE ? undefined : chosen.at(-1);
  return { nextBeforeId: last?.id ?? null, failedCount };
}

/** False when the owner could not be reached or did not answer in time: it may be asked again. */
async function askOwner(
  system: Pick<System, 'ask'>,
  { action, priority }: JobRequest,
  jobs: readonly ChosenJob[],
): Promise<boolean> {
  const [first] = jobs;
  if (first === undefined) return true;
  const jobIds = jobs.map((job) => job.id);
  const message =
    action === 'cancel'
      ? { type: 'cancelJobs', jobIds }
      : { type: 'requeueJobs', jobIds, ...(priority === null ? {} : { priority }) };
  try {
    await system.ask(ownerAddress(first.owner), message, { deadlineMs: ASK_DEADLINE_MS });
    return true;
  } catch {
    return false;
  }
}

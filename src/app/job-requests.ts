/** Requests to cancel or requeue jobs, taken from the interface. */
import { type JobRequestMessage, jobRequestAddress } from '../actors/job-request/job-request.messages.ts';
import { isUnbounded, type JobChoice, type JobRequestAction } from '../domain/job/job-request.ts';
import { parseMoment } from '../domain/times.ts';
import { IssueList } from '../domain/validation.ts';
import type { Asker } from '../http/route.ts';
import type { JobCancelBody, JobRequestRouteDeps, JobRequeueBody } from '../http/v6/job-requests.ts';
import { type IdPort, type System, shardOf } from '../kernel/mod.ts';
import { findJobTypeRow } from '../store/queries/catalog-facts.ts';
import type { Sql } from '../store/sql.ts';
import { answerByKey } from './idempotency.ts';
import { FIRST_ASK, freshId, refuseProblems, unknownReference } from './requests.ts';

export interface JobRequestParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'ask'>;
}

export function jobRequestsApp(parts: JobRequestParts): JobRequestRouteDeps['jobRequests'] {
  return {
    cancel: (body, asker) => begin(parts, 'cancel', body, asker),
    requeue: (body, asker) => begin(parts, 'requeue', body, asker),
  };
}

async function begin(
  { sql, ids, system }: JobRequestParts,
  action: JobRequestAction,
  body: JobCancelBody & Pick<JobRequeueBody, 'priority'>,
  asker: Asker,
): Promise<void> {
  const { nowMs } = asker;
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
    ...answerByKey(asker, { status: 202 }),
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

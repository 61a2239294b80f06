/** Requests to cancel or requeue jobs: the service behind their routes. */
import { type JobRequestMessage, jobRequestAddress } from '../../actors/job-request/job-request.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { KeyedAnswer } from '../../domain/idempotency.ts';
import { isUnbounded, type JobChoice, type NewJobRequest } from '../../domain/job/job-request.ts';
import { parseMoment } from '../../domain/times.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import type { Asker } from '../../http/route.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import { findJobTypeRow } from '../../store/catalog/facts.ts';
import {
  NEWER_REVISIONS_MS,
  type NewerRevision,
  newerRevisions,
  previewJobs,
} from '../../store/job-request/choices.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { answerByKey } from '../shared/idempotency.ts';
import { FIRST_ASK, freshId, refuseProblems, unknownReference } from '../shared/requests.ts';
import type { JobCancelBody, JobRequestRouteDeps } from './routes.ts';

export interface JobRequestParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'ask'>;
}

export function jobRequestsApp(parts: JobRequestParts): JobRequestRouteDeps['jobRequests'] {
  return {
    async cancel(body, asker) {
      const choice = await choiceOf(parts.sql, body, asker.nowMs);
      await begin(parts, { action: 'cancel', choice, priority: null, revision: null }, asker);
    },
    preview: async (action, body, nowMs) =>
      previewJobs(parts.sql, action, await choiceOf(parts.sql, body, nowMs)),
    async requeue(body, asker, { namesRevisions }) {
      const { sql } = parts;
      const choice = await choiceOf(sql, body, asker.nowMs);
      const { priority = null, revision = null } = body;
      const isNaming = namesRevisions && revision === null;
      const warnings = isNaming ? await revisionWarnings(sql, choice) : [];
      const answered = namesRevisions ? ({ type: 'body', body: { warnings } } as const) : null;
      await begin(parts, { action: 'requeue', choice, priority, revision }, asker, answered);
      return warnings;
    },
  };
}

async function begin(
  { ids, system }: JobRequestParts,
  jobRequest: Pick<NewJobRequest, 'action' | 'choice' | 'priority' | 'revision'>,
  asker: Asker,
  answered: KeyedAnswer['record'] = null,
): Promise<void> {
  const requestId = await freshId(ids, 'job_request');
  const address = jobRequestAddress(requestId);
  const message: JobRequestMessage = {
    type: 'begin',
    request: {
      id: requestId,
      shard: shardOf(address.kind, address.key),
      ...jobRequest,
      asker: asker.caller.username,
      atMs: asker.nowMs,
    },
    ...answerByKey(asker, { status: 202 }, answered),
  };
  await system.ask(address, message, FIRST_ASK);
}

// limit: job types named in an answer.
const TYPES_TOLD = 20;

/** The job types of a plain requeue that have a newer revision, while their jobs keep theirs. */
async function revisionWarnings(sql: Sql, choice: JobChoice): Promise<readonly Problem[]> {
  let found: readonly NewerRevision[];
  try {
    found = await newerRevisions(sql, choice, TYPES_TOLD);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'QUERY_TOO_SLOW') throw error;
    const within = `${NEWER_REVISIONS_MS / 1_000} s`;
    const description = `which job types have a newer revision could not be found out within ${within}`;
    return [{ name: 'REVISIONS_NOT_COMPARED', description, path: '' }];
  }
  const warnings = found.map(({ name, version, revisionNum }) => {
    const description =
      `jobs of ${name} ${version} keep a revision before the newest, which is ${revisionNum}: ` +
      '"revision": "newest" takes it';
    return { name: 'NEWER_REVISION', description, path: '' };
  });
  const more = (found[0]?.total ?? 0) - found.length;
  if (more === 0) return warnings;
  const description = `${more} more job ${more === 1 ? 'type has a newer revision' : 'types have newer revisions'}`;
  return [...warnings, { name: 'MORE_NEWER_REVISIONS', description, path: '' }];
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

/** `POST /v6/jobs/cancel/` and `/v6/jobs/requeue/`: change many jobs that filters choose. */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type JobRequestMessage, jobRequestAddress } from '../../actors/job-request/job-request.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { KeyedAnswer } from '../../domain/idempotency.ts';
import { ERROR_CATEGORIES } from '../../domain/job/builtin-errors.ts';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import { isUnbounded, type JobChoice, type NewJobRequest } from '../../domain/job/job-request.ts';
import { parseMoment } from '../../domain/times.ts';
import { IssueList, type Problem } from '../../domain/validation.ts';
import { dryRun } from '../../http/request/dry-run.ts';
import { type Asker, defineRoute, reply } from '../../http/route.ts';
import { id, integer, NO_BODY, named, oneOf, ProblemSchema } from '../../http/schema.ts';
import { type IdPort, type System, shardOf } from '../../kernel/mod.ts';
import { findJobTypeRow } from '../../store/catalog/facts.ts';
import {
  deletedHolders,
  NEWER_REVISIONS_MS,
  type NewerRevision,
  newerRevisions,
  previewJobs,
} from '../../store/job-request/choices.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { answerByKey } from '../shared/idempotency.ts';
import { FIRST_ASK, freshId, refuseProblems, unknownReference } from '../shared/requests.ts';

// limit: values of one filter.
const VALUES_MAX = 1_000;
const INT4_MAX = 2_147_483_647;

function some<S extends TSchema>(item: S, description: string) {
  return Type.Optional(Type.Array(item, { minItems: 1, maxItems: VALUES_MAX, description }));
}

const filters = {
  started: Type.Optional(
    Type.String({
      description: 'Compared with `last_modified`: an ISO-8601 instant, or a duration before now.',
    }),
  ),
  ended: Type.Optional(Type.String({ description: 'End of the range, in the same two forms.' })),
  status: Type.Optional(oneOf(JOB_STATUSES)),
  job_ids: some(id(), 'Jobs.'),
  job_type_ids: some(id(), 'Job types.'),
  job_types: some(
    Type.Object({ name: Type.String(), version: Type.String() }),
    'Job types by name and version, added to `job_type_ids`.',
  ),
  job_type_names: some(Type.String(), 'Names of job types, whatever their version.'),
  batch_ids: some(
    id(),
    'Batches of the recipes that contain the jobs now. A recipe that superseded another may have taken over its jobs.',
  ),
  recipe_ids: some(
    id(),
    'Recipes that contain the job directly. A job that was taken over counts only in the later recipe.',
  ),
  error_categories: some(oneOf(ERROR_CATEGORIES), 'Categories of errors.'),
  error_ids: some(id(), 'Errors.'),
  is_superseded: Type.Optional(Type.Boolean()),
};

const JobCancel = named('JobCancel', Type.Object(filters));
const JobRequeue = named(
  'JobRequeue',
  Type.Object({
    ...filters,
    priority: Type.Optional(
      integer({
        minimum: 1,
        maximum: INT4_MAX,
        description: 'Their priority in the queue; as configured when it is absent.',
      }),
    ),
    revision: Type.Optional(
      oneOf(['newest'], 'Jobs take the newest revision of their job type; absent: they keep theirs.'),
    ),
  }),
);

const RequeueAccepted = named(
  'RequeueAccepted',
  Type.Object({
    warnings: Type.Array(ProblemSchema, {
      description:
        'Job types of the chosen jobs that have a newer revision: the first 20, and the number of others.',
    }),
  }),
);

const JobRequestPreview = named(
  'JobRequestPreview',
  Type.Object({
    job_count: integer({ minimum: 0, description: 'Jobs that would be changed, as they are now.' }),
    is_cut: Type.Boolean({ description: 'There are more: at most 100,000 are counted.' }),
    statuses: Type.Array(Type.Object({ status: oneOf(JOB_STATUSES), job_count: integer({ minimum: 1 }) })),
    job_types: Type.Array(
      Type.Object({
        id: id(),
        name: Type.String(),
        version: Type.String(),
        job_count: integer({ minimum: 1 }),
      }),
      { description: 'Those with the most jobs, 100 at most.' },
    ),
    job_ids: Type.Array(id(), { description: 'The 100 highest.' }),
  }),
);

type JobCancelBody = Static<typeof JobCancel>;
export type JobRequeueBody = Static<typeof JobRequeue>;

interface JobRequestParts {
  readonly sql: Sql;
  readonly ids: IdPort;
  readonly system: Pick<System, 'ask'>;
}

/**
 * Resolves once the request is committed; the jobs follow afterwards. Throws INVALID_REQUEST (no filter, invalid times)
 * or UNKNOWN_REFERENCE (an unknown job type).
 */
async function cancelJobs(parts: JobRequestParts, body: JobCancelBody, asker: Asker): Promise<void> {
  const choice = await choiceOf(parts.sql, body, asker.nowMs);
  await begin(parts, { action: 'cancel', choice, priority: null, revision: null }, asker);
}

/**
 * Resolves with warnings; none if newer revisions are not to be reported to the caller. Throws as `cancelJobs`, and
 * STATE_CONFLICT if what it names is deleted.
 */
export async function requeueJobs(
  parts: JobRequestParts,
  body: JobRequeueBody,
  asker: Asker,
  { namesRevisions }: { readonly namesRevisions: boolean },
): Promise<readonly Problem[]> {
  const { sql } = parts;
  const choice = await choiceOf(sql, body, asker.nowMs);
  await refuseDeleted(sql, choice);
  const { priority = null, revision = null } = body;
  const isNaming = namesRevisions && revision === null;
  const warnings = isNaming ? await revisionWarnings(sql, choice) : [];
  const answered = namesRevisions ? ({ type: 'body', body: { warnings } } as const) : null;
  await begin(parts, { action: 'requeue', choice, priority, revision }, asker, answered);
  return warnings;
}

/** What the request would change now; throws as `cancelJobs` and `requeueJobs`. */
async function preview(
  { sql }: JobRequestParts,
  action: 'cancel' | 'requeue',
  body: JobCancelBody,
  nowMs: number,
) {
  const choice = await choiceOf(sql, body, nowMs);
  if (action === 'requeue') await refuseDeleted(sql, choice);
  return previewJobs(sql, action, choice);
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

/** Throws STATE_CONFLICT if what `choice` names is deleted. Deleted jobs that other filters choose are skipped. */
async function refuseDeleted(sql: Sql, choice: JobChoice): Promise<void> {
  const found = await deletedHolders(sql, choice);
  if (found.length === 0) return;
  const errors: Problem[] = found.map(({ reason }) => ({ name: 'DELETED', description: reason, path: '' }));
  const more = (found[0]?.total ?? 0) - found.length;
  if (more > 0) errors.push({ name: 'MORE_DELETED', description: `${more} more are deleted`, path: '' });
  throw new AppError('STATE_CONFLICT', `jobs of deleted records are not queued again: ${found[0]?.reason}`, {
    errors,
  });
}

// limit: job types named in an answer.
const TYPES_SHOWN = 20;

/** The job types of a plain requeue that have a newer revision, while their jobs keep theirs. */
async function revisionWarnings(sql: Sql, choice: JobChoice): Promise<readonly Problem[]> {
  let found: readonly NewerRevision[];
  try {
    found = await newerRevisions(sql, choice, TYPES_SHOWN);
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
      'at least one filter is required: without one, the call would change every job',
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

const WHICH =
  'A job must match every filter; it matches a list with one of its values. At least one filter is required. Jobs of ' +
  'system types are changed only if jobs or job types are named. The answer comes before the jobs are changed.';

const cancel = defineRoute({
  method: 'POST',
  path: '/v6/jobs/cancel/',
  summary: 'Cancel jobs',
  description: WHICH,
  repeats: 'keyed',
  query: { dry_run: dryRun },
  body: JobCancel,
  replies: { 200: JobRequestPreview, 202: NO_BODY },
  async handle({ body, query, request }, parts: JobRequestParts) {
    if (query.dry_run === true) return reply(200, await preview(parts, 'cancel', body, request.nowMs));
    await cancelJobs(parts, body, request);
    return reply(202);
  },
});

const requeue = defineRoute({
  method: 'POST',
  path: '/v6/jobs/requeue/',
  summary: 'Queue jobs again',
  description: WHICH,
  repeats: 'keyed',
  query: { dry_run: dryRun },
  body: JobRequeue,
  replies: { 200: JobRequestPreview, 202: RequeueAccepted },
  async handle({ body, query, request }, parts: JobRequestParts) {
    if (query.dry_run === true) return reply(200, await preview(parts, 'requeue', body, request.nowMs));
    const warnings = await requeueJobs(parts, body, request, { namesRevisions: true });
    return reply(202, { warnings: [...warnings] });
  },
});

export const jobRequestRoutes = [cancel, requeue];

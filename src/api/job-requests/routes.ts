/** `POST /v6/jobs/cancel/` and `/v6/jobs/requeue/`: change many jobs that filters choose. */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { ERROR_CATEGORIES } from '../../domain/job/builtin-errors.ts';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import type { Problem } from '../../domain/validation.ts';
import { dryRun } from '../../http/request/dry-run.ts';
import { type Asker, defineRoute, reply } from '../../http/route.ts';
import { id, integer, NO_BODY, named, oneOf, ProblemSchema } from '../../http/schema.ts';

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
  batch_ids: some(id(), 'Batches that the jobs live on in.'),
  recipe_ids: some(id(), 'Recipes that hold the job itself, and in which it lives on.'),
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
        description: 'In the queue; as configured when it is absent.',
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
        'Job types of the chosen jobs that have a newer revision: the first 20, and how many more.',
    }),
  }),
);

const JobRequestPreview = named(
  'JobRequestPreview',
  Type.Object({
    job_count: integer({ minimum: 0, description: 'Jobs that would be changed, as they are now.' }),
    is_cut: Type.Boolean({ description: 'There are more: 100,000 are counted at most.' }),
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

export type JobRequestPreviewRecord = Static<typeof JobRequestPreview>;
export type JobCancelBody = Static<typeof JobCancel>;
export type JobRequeueBody = Static<typeof JobRequeue>;

export interface JobRequestRouteDeps {
  readonly jobRequests: {
    /**
     * Resolves once the request is committed; the jobs follow afterwards. Throws INVALID_REQUEST (no filter, invalid
     * times) or UNKNOWN_REFERENCE (an unknown job type).
     */
    cancel(body: JobCancelBody, asker: Asker): Promise<void>;
    /** What the request would change now; throws as `cancel`. */
    preview(
      action: 'cancel' | 'requeue',
      body: JobCancelBody,
      nowMs: number,
    ): Promise<JobRequestPreviewRecord>;
    /** Resolves with warnings; none if newer revisions are not to be reported to the caller. */
    requeue(
      body: JobRequeueBody,
      asker: Asker,
      options: { readonly namesRevisions: boolean },
    ): Promise<readonly Problem[]>;
  };
}

const WHICH =
  'Filters must all hold; of a list any value may. At least one is required. Jobs of system types are meant only ' +
  'where jobs or job types are named. The answer comes before the jobs are changed.';

const cancel = defineRoute({
  method: 'POST',
  path: '/v6/jobs/cancel/',
  summary: 'Cancel jobs',
  description: WHICH,
  repeats: 'keyed',
  query: { dry_run: dryRun },
  body: JobCancel,
  replies: { 200: JobRequestPreview, 202: NO_BODY },
  async handle({ body, query, request }, { jobRequests }: JobRequestRouteDeps) {
    if (query.dry_run === true) return reply(200, await jobRequests.preview('cancel', body, request.nowMs));
    await jobRequests.cancel(body, request);
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
  async handle({ body, query, request }, { jobRequests }: JobRequestRouteDeps) {
    if (query.dry_run === true) return reply(200, await jobRequests.preview('requeue', body, request.nowMs));
    const warnings = await jobRequests.requeue(body, request, { namesRevisions: true });
    return reply(202, { warnings: [...warnings] });
  },
});

export const jobRequestRoutes = [cancel, requeue];

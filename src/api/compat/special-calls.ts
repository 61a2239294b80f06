/**
 * Calls that differ for clients of the public system in more than names. Each wraps the route of the interface, which
 * does the work.
 */
import type { Page } from '../../http/request/paging.ts';
import { flag } from '../../http/request/parameters.ts';
import { handleOnce, type Route, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import { listJobTypes } from '../../store/job-type/list.ts';
import type { JobRequeueBody } from '../job-requests/routes.ts';
import { requeueJobs } from '../job-requests/routes.ts';
import { nextRevision, type ReprocessParts } from '../recipes/reprocess.ts';
import type { RecipeReprocessBody } from '../recipes/schema.ts';
import { byNodeName } from './forced-nodes.ts';
import { isHolder } from './places.ts';

/** What these calls use beside the routes that they wrap. */
export type SpecialParts = ReprocessParts;

export interface SpecialCall {
  /** As `GET /v6/jobs/`. */
  readonly call: string;
  /** What differs, as a phrase for docs/clients-differences.md. */
  readonly says: string;
  /** `get`: the route that reads the same path. */
  adapt<Deps extends SpecialParts>(route: Route<Deps>, get: Route<Deps> | undefined): Route<Deps>;
}

/** A job that the call queues is QUEUED in its answer, even if a node has already taken it. */
const processScan: SpecialCall = {
  call: 'POST /v6/scans/{id}/process/',
  says: '`ingest` is also read from the query; the answer is 201, and shows the queued job as QUEUED',
  adapt: (route) => ({
    ...route,
    query: { ...route.query, ingest: flag('The same as in the body.') },
    replies: { 201: route.replies[200] ?? NO_BODY },
    async handle(input, deps) {
      const given = (input.body as { readonly ingest?: boolean }).ingest;
      const isIngest = given ?? input.query.ingest === true;
      const done = await route.handle({ ...input, body: { ingest: isIngest } }, deps);
      const queued = isIngest ? 'job' : 'dry_run_job';
      const scan = done.body as Readonly<Record<string, object>>;
      return { ...done, status: 201, body: { ...scan, [queued]: { ...scan[queued], status: 'QUEUED' } } };
    },
  }),
};

const editJobType: SpecialCall = {
  call: 'PATCH /v6/job-types/{name}/{version}/',
  says: 'answers 200 with the details of the job type',
  adapt: (route, get) => ({
    ...route,
    replies: { ...route.replies, ...get?.replies },
    async handle(input, deps) {
      const edited = await route.handle(input, deps);
      if (get === undefined) return edited;
      const { status, body } = await get.handle(input, deps);
      return { ...edited, status, body };
    },
  }),
};

const reprocess: SpecialCall = {
  call: 'POST /v6/recipes/{id}/reprocess/',
  says: 'keys of `sub_recipes` may be names of recipe types; such a key stands for every node of that type',
  adapt: (route) => ({
    ...route,
    async handle(input, deps) {
      const body = input.body as RecipeReprocessBody;
      const { forced_nodes: inner = {} } = body;
      const isNamingAny = isHolder(body.sub_recipes) || isHolder(inner.sub_recipes);
      const revision = isNamingAny
        ? await nextRevision(deps, Number(input.params.id), body.revision_num)
        : undefined;
      if (revision === undefined) return route.handle(input, deps);
      const translated = isHolder(inner.sub_recipes)
        ? { ...body, forced_nodes: byNodeName(inner, revision) }
        : byNodeName(body, revision);
      return route.handle({ ...input, body: translated }, deps);
    },
  }),
};

const jobTypeStatus: SpecialCall = {
  call: 'GET /v6/job-types/status/',
  says: '`job_type` is the whole record, as in the list of job types',
  adapt: (route) => ({
    ...route,
    async handle(input, deps) {
      const done = await route.handle(input, deps);
      const page = done.body as Page<{ readonly job_type: { readonly id: number } }>;
      const ids = page.results.map(({ job_type: { id } }) => id);
      if (ids.length === 0) return done;
      const { results: records } = await listJobTypes(
        deps.sql,
        { id: ids, keyword: [], is_active: undefined, is_system: undefined, label: [] },
        [{ field: 'id', isDescending: false }],
        { pageSize: ids.length, offset: 0 },
      );
      const whole = new Map(records.map((record) => [record.id, record]));
      const results = page.results.map((item) => ({
        ...item,
        job_type: whole.get(item.job_type.id) ?? item.job_type,
      }));
      return { ...done, body: { ...page, results } };
    },
  }),
};

const plainRequeue: SpecialCall = {
  call: 'POST /v6/jobs/requeue/',
  says: 'the answer has no body, so it does not name newer revisions of job types',
  adapt: (route) => ({
    ...route,
    replies: { 202: NO_BODY },
    handle: handleOnce<SpecialParts>({
      async handle({ body, request }, parts) {
        await requeueJobs(parts, body as JobRequeueBody, request, { namesRevisions: false });
        return reply(202);
      },
    }),
  }),
};

export const SPECIAL_CALLS: readonly SpecialCall[] = [
  ...[processScan, editJobType, reprocess, jobTypeStatus],
  plainRequeue,
];

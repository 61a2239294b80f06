/** The filters and the order of the list of jobs, in its address and as parameters of the interface. */
import type { BodyOf, QueryOf } from '../../client/operations.ts';
import { choiceOf, idOf, orderOf, present, RANGES, type Search, textOf } from '../search.ts';

export type JobQuery = Omit<QueryOf<'get', '/v6/jobs/'>, 'page' | 'page_size' | 'fields'>;

export const STATUSES = [
  ...(['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED', 'COMPLETED', 'CANCELED'] as const),
] as const;
export const CATEGORIES = ['SYSTEM', 'DATA', 'ALGORITHM'] as const;
const RANGE_MS = { PT1H: 3_600_000, P1D: 86_400_000, P7D: 604_800_000 } as const;
const SORTS = ['id', 'job_type__name', 'status', 'node__hostname', 'duration', 'last_modified'] as const;
export type Sort = (typeof SORTS)[number];
export const DEFAULT_ORDER = '-last_modified';

export interface JobSearch {
  readonly status?: (typeof STATUSES)[number] | undefined;
  readonly type?: string | undefined;
  readonly category?: (typeof CATEGORIES)[number] | undefined;
  readonly changed?: (typeof RANGES)[number] | undefined;
  readonly recipe?: string | undefined;
  readonly batch?: string | undefined;
  /** The id of an error. */
  readonly error?: string | undefined;
  readonly waits_for?: 'input' | undefined;
  readonly order?: Sort | `-${Sort}` | undefined;
}

/** Reads the filters of an address; unknown names and wrong values are left out. */
export function readJobSearch(search: Search): JobSearch {
  return present<JobSearch>({
    status: choiceOf(search.status, STATUSES),
    type: textOf(search.type),
    category: choiceOf(search.category, CATEGORIES),
    changed: choiceOf(search.changed, RANGES),
    recipe: idOf(search.recipe),
    batch: idOf(search.batch),
    error: idOf(search.error),
    waits_for: choiceOf(search.waits_for, ['input']),
    order: orderOf(search.order, SORTS),
  });
}

export function jobQuery({ waits_for: waitsFor, order, ...search }: JobSearch): JobQuery {
  const { status, type, category, changed, recipe, batch, error } = search;
  return {
    order: [order ?? DEFAULT_ORDER],
    ...(status === undefined ? {} : { status: [status] }),
    ...(type === undefined ? {} : { job_type_name: [type] }),
    ...(category === undefined ? {} : { error_category: [category] }),
    ...(changed === undefined ? {} : { started: changed }),
    ...(recipe === undefined ? {} : { recipe_id: [Number(recipe)] }),
    ...(batch === undefined ? {} : { batch_id: [Number(batch)] }),
    ...(error === undefined ? {} : { error_id: [Number(error)] }),
    ...(waitsFor === undefined ? {} : { waits_for: [waitsFor] }),
  };
}

export type JobChoice = BodyOf<'post', '/v6/jobs/cancel/'>;

/**
 * The filters of a search as the body of a request for many jobs. The range begins at a fixed instant, so that the
 * count and the later request have the same beginning. Undefined: without filters, it would choose every job; and a
 * request cannot choose jobs by what they wait for.
 */
export function jobChoice(search: JobSearch, nowMs: number): JobChoice | undefined {
  const { status, type, category, changed, recipe, batch, error } = search;
  if (search.waits_for !== undefined) return undefined;
  const choice = {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { job_type_names: [type] }),
    ...(category === undefined ? {} : { error_categories: [category] }),
    ...(changed === undefined ? {} : { started: new Date(nowMs - RANGE_MS[changed]).toISOString() }),
    ...(recipe === undefined ? {} : { recipe_ids: [Number(recipe)] }),
    ...(batch === undefined ? {} : { batch_ids: [Number(batch)] }),
    ...(error === undefined ? {} : { error_ids: [Number(error)] }),
  };
  return Object.keys(choice).length === 0 ? undefined : choice;
}

/** The filters and the order of the list of files, in its address and as parameters of the interface. */
import type { QueryOf } from '../../client/operations.ts';
import { choiceOf, idOf, orderOf, present, RANGES, type Search, textOf } from '../search.ts';

export type FileQuery = Omit<QueryOf<'get', '/v6/files/'>, 'page' | 'page_size' | 'fields'>;

export const FILE_TYPES = ['SOURCE', 'PRODUCT'] as const;
const SORTS = [
  'id',
  'file_name',
  'file_type',
  'media_type',
  'file_size',
  'created',
  'last_modified',
] as const;
export type Sort = (typeof SORTS)[number];
export const DEFAULT_ORDER = '-last_modified';

export interface FileSearch {
  /** Part of the name. */
  readonly name?: string | undefined;
  readonly type?: (typeof FILE_TYPES)[number] | undefined;
  readonly media?: string | undefined;
  readonly created?: (typeof RANGES)[number] | undefined;
  /** The name of the type of job that made the files. */
  readonly job_type?: string | undefined;
  readonly output?: string | undefined;
  readonly recipe_type?: string | undefined;
  readonly job?: string | undefined;
  readonly recipe?: string | undefined;
  readonly batch?: string | undefined;
  readonly order?: Sort | `-${Sort}` | undefined;
}

/** Reads the filters of an address; unknown names and wrong values are left out. */
export function readFileSearch(search: Search): FileSearch {
  return present<FileSearch>({
    name: textOf(search.name),
    type: choiceOf(search.type, FILE_TYPES),
    media: textOf(search.media),
    created: choiceOf(search.created, RANGES),
    job_type: textOf(search.job_type),
    output: textOf(search.output),
    recipe_type: idOf(search.recipe_type),
    job: idOf(search.job),
    recipe: idOf(search.recipe),
    batch: idOf(search.batch),
    order: orderOf(search.order, SORTS),
  });
}

export function fileQuery({ order, created, name, ...search }: FileSearch): FileQuery {
  const { type, media, job_type: jobType, output, recipe_type: recipeType, job, recipe, batch } = search;
  return {
    order: [order ?? DEFAULT_ORDER],
    ...(name === undefined ? {} : { file_name_search: name }),
    ...(type === undefined ? {} : { file_type: [type] }),
    ...(media === undefined ? {} : { media_type: [media] }),
    ...(created === undefined ? {} : { created_started: created }),
    ...(jobType === undefined ? {} : { job_type_name: [jobType] }),
    ...(output === undefined ? {} : { job_output: [output] }),
    ...(recipeType === undefined ? {} : { recipe_type_id: [Number(recipeType)] }),
    ...(job === undefined ? {} : { job_id: [Number(job)] }),
    ...(recipe === undefined ? {} : { recipe_id: [Number(recipe)] }),
    ...(batch === undefined ? {} : { batch_id: [Number(batch)] }),
  };
}

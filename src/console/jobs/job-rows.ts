/** The rows of the list of jobs that are in view, read a page at a time. */
import { useQueries } from '@tanstack/react-query';
import type { components } from '../../client/operations.ts';
import { JOBS_PAGE, jobsPage } from '../queries.ts';
import type { JobQuery } from './job-search.ts';

export type Job = components['schemas']['Job'];
/** limit: rows that can be scrolled to. Filters lead to the others. */
export const ROWS_MAX = 10_000;

export interface JobRows {
  /** How many jobs there are; undefined until that is known. */
  readonly total: number | undefined;
  readonly error: unknown;
  /** Undefined: not read yet. */
  row(index: number): Job | undefined;
  retry(): void;
}

/** `first` and `last`: the rows in view. */
export function useJobRows(filters: JobQuery, first: number, last: number): JobRows {
  const pages: number[] = [];
  for (let page = Math.floor(first / JOBS_PAGE); page <= Math.floor(last / JOBS_PAGE); page += 1)
    pages.push(page);
  const found = useQueries({ queries: pages.map((page) => jobsPage(filters, page + 1)) });
  const byPage = new Map(pages.map((page, index) => [page, found[index]?.data?.results]));
  return {
    total: found.find(({ data }) => data !== undefined)?.data?.count,
    error: found.find(({ data, error }) => data === undefined && error !== null)?.error ?? undefined,
    row: (index) => byPage.get(Math.floor(index / JOBS_PAGE))?.[index % JOBS_PAGE] as Job | undefined,
    retry: () => {
      for (const query of found) if (query.isError) void query.refetch();
    },
  };
}

/** The rows of a list that are in view, read a page at a time. */
import { keepPreviousData, queryOptions, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { type Shown, shows } from '../live/shown.ts';

/** The number of records of a page. */
export const PAGE = 100;
/** limit: rows that can be scrolled to. The others can be found with filters. */
export const ROWS_MAX = 10_000;

export interface RecordPage<R> {
  readonly count: number;
  readonly results: readonly R[];
}

export interface RecordRows<R> {
  /** The number of records; undefined until it is known. */
  readonly total: number | undefined;
  readonly error: unknown;
  /** Undefined: not read yet. */
  row(index: number): R | undefined;
  /** Where the record with this id is among the rows that are read. */
  indexOf(id: number): number | undefined;
  retry(): void;
}

/** The rows that are in view, by their index. */
export interface View {
  readonly first: number;
  readonly last: number;
}

/** How a list is read. */
export interface RecordSource<R> {
  /** The list and its filters, as the key of its pages among all queries. */
  readonly key: readonly unknown[];
  /** Changes of these kinds of objects make the rows out of date. */
  readonly kinds: Shown['kinds'];
  /** A page of `PAGE` records; the first page is 1. */
  read(page: number, signal: AbortSignal): Promise<RecordPage<R>>;
}

export function useRecordRows<R extends { readonly id: number }>(
  { key, kinds, read }: RecordSource<R>,
  { first, last }: View,
): RecordRows<R> {
  const pages: number[] = [];
  for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) pages.push(page);
  const found = useQueries({
    queries: pages.map((page) =>
      queryOptions({
        queryKey: [...key, page + 1],
        queryFn: ({ signal }) => read(page + 1, signal),
        placeholderData: keepPreviousData,
        ...shows(kinds),
      }),
    ),
  });
  const byPage = new Map(pages.map((page, index) => [page, found[index]?.data?.results]));
  const counted = found.find(({ data }) => data !== undefined)?.data?.count;
  const [known, setKnown] = useState(counted);
  if (counted !== undefined && counted !== known) setKnown(counted);
  return {
    // While no page in view is read, the list keeps its length: else it would lose the place that was scrolled to.
    total: counted ?? known,
    error: found.find(({ data, error }) => data === undefined && error !== null)?.error ?? undefined,
    row: (index) => byPage.get(Math.floor(index / PAGE))?.[index % PAGE],
    indexOf(id) {
      for (const [page, records = []] of byPage) {
        const index = records.findIndex((record) => record.id === id);
        if (index >= 0) return page * PAGE + index;
      }
      return undefined;
    },
    retry: () => {
      for (const query of found) if (query.isError) void query.refetch();
    },
  };
}

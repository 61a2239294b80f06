/**
 * Pages of lists: reading `page` and `page_size`, and the envelope with its links. Links are absolute, use the address
 * that the client used, and keep its other parameters as the client wrote them.
 */
import { Type } from '@sinclair/typebox';
import type { RouteRequest } from '../route.ts';
import { INTEGER_MAX } from '../schema.ts';
import type { QueryPart, ReadContext } from './parameters.ts';
import { readInteger } from './parameters.ts';
import { withParameter } from './query.ts';

const PAGE_SIZE_DEFAULT = 100;
// limit: rows of a page. More is refused, not cut, so that no client mistakes a part for the whole.
const PAGE_SIZE_MAX = 1_000;

export interface Paging {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Rows before the page; within what int8 and JavaScript hold exactly. */
  readonly offset: number;
}

export interface Page<T> {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: T[];
}

/** `page` and `page_size`. A page after the last is not an error: it is empty. */
export const paging: QueryPart<Paging> = {
  document: () => [
    { name: 'page', description: 'Page, from 1.', schema: Type.Integer({ minimum: 1, default: 1 }) },
    {
      name: 'page_size',
      description: 'Records on a page.',
      schema: Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT }),
    },
  ],
  read: (_key, context) => {
    const page = readBounded(context, 'page', 1, INTEGER_MAX);
    const pageSize = readBounded(context, 'page_size', PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX);
    if (page === undefined || pageSize === undefined) return undefined;
    return { page, pageSize, offset: Math.min((page - 1) * pageSize, INTEGER_MAX) };
  },
};

function readBounded(
  context: ReadContext,
  name: string,
  fallback: number,
  maximum: number,
): number | undefined {
  const text = context.query.last(name);
  if (text === undefined) return fallback;
  const value = readInteger(text, { minimum: 1, maximum });
  if (typeof value === 'number') return value;
  context.issues.error(value.name, name, value.description);
  return undefined;
}

/** The envelope of one page. `count` covers all matches; `results` has the page's records. */
export function toPage<T>(
  request: Pick<RouteRequest, 'base' | 'path' | 'rawQuery'>,
  paging: Paging,
  found: { readonly count: number; readonly results: readonly T[] },
): Page<T> {
  // A client that follows the links comes to an end, whatever was counted.
  const hasNext = found.results.length > 0 && paging.page * paging.pageSize < found.count;
  const lastPage = Math.max(1, Math.ceil(found.count / paging.pageSize));
  const link = (page: number): string => {
    // The first page is the address without `page`, as clients know it.
    const query = withParameter(request.rawQuery, 'page', page === 1 ? undefined : String(page));
    return `${request.base}${request.path}${query === '' ? '' : `?${query}`}`;
  };
  return {
    count: found.count,
    next: hasNext ? link(paging.page + 1) : null,
    previous: paging.page > 1 ? link(Math.min(paging.page - 1, lastPage)) : null,
    results: [...found.results],
  };
}

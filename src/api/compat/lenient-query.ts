/**
 * Query strings as clients of the public system send them: unusable values count as absent, so that no page breaks.
 * This wraps the parameters of a route's query, without changes of the route.
 */

import type { LabelTerm } from '../../domain/labels.ts';
import { DRY_RUN } from '../../http/request/dry-run.ts';
import { FIELDS } from '../../http/request/fields.ts';
import { LABEL_FILTER } from '../../http/request/labels.ts';
import type { QueryPart, QueryParts } from '../../http/request/parameters.ts';
import type { QueryText } from '../../http/request/query.ts';

/** Texts that scripts send for a missing value. */
const ABSENT: ReadonlySet<string> = new Set(['', 'null', 'undefined']);

// limit: rows of a page, as in every list; larger values are reduced to it.
const PAGE_SIZE_MAX = 1_000;

/** Columns by which tables are sorted, and the field that each one shows. */
const ORDER_WORDS: Readonly<Record<string, string>> = {
  job: 'job__id',
  job_type: 'job_type__name',
  node: 'node__hostname',
  recipe: 'recipe__id',
  recipe_type: 'recipe_type__name',
  strike: 'strike__id',
  scan: 'scan__id',
};

/**
 * The parameters of a route's query, read leniently. Those that select fields or labels do not exist for these clients.
 */
export function lenientQuery(parts: QueryParts): QueryParts {
  const known = Object.entries(parts).filter(([key]) => key !== FIELDS);
  const entries = known.map(([key, part]) => [key, lenient(key, part)]);
  return Object.fromEntries(entries);
}

function lenient(key: string, part: QueryPart<unknown>): QueryPart<unknown> {
  if (key === DRY_RUN) return REFUSED;
  if (key === LABEL_FILTER) return NO_LABELS;
  const orders = key === 'order' ? orderNames(part) : undefined;
  return {
    document: (name) => part.document(name),
    read: (name, context) => part.read(name, { ...context, query: lenientText(context.query, orders) }),
  };
}

/**
 * Dry runs do not exist in the public system. The parameter is refused, because a call that ignored it would have
 * effects.
 */
const REFUSED: QueryPart<unknown> = {
  document: () => [],
  read(name, { query, issues }) {
    if (query.all(name).length === 0) return undefined;
    issues.error('UNKNOWN_PARAMETER', name, 'is not known here: dry runs are for calls under /v6/');
    return undefined;
  },
};

const NO_LABELS: QueryPart<readonly LabelTerm[]> = { document: () => [], read: () => [] };

function orderNames(part: QueryPart<unknown>): ReadonlySet<string> {
  return new Set((part.document('order')[0]?.schema.enum as readonly string[] | undefined) ?? []);
}

function lenientText(query: QueryText, orders: ReadonlySet<string> | undefined): QueryText {
  const all = (name: string): readonly string[] => {
    const given = query.all(name).filter((text) => !ABSENT.has(text));
    if (name === 'page' || name === 'page_size') return given.flatMap((text) => pageNumber(name, text));
    if (name === 'order' && orders !== undefined) return given.flatMap((text) => orderTerm(text, orders));
    return given;
  };
  return { names: query.names, all, last: (name) => all(name).at(-1) };
}

/** A value that is not a positive number counts as absent; a size beyond the limit is the limit. */
function pageNumber(name: string, text: string): readonly string[] {
  const value = /^\s*\+?\d{1,15}\s*$/.test(text) ? Number(text) : 0;
  if (value < 1) return [];
  return [String(name === 'page_size' ? Math.min(value, PAGE_SIZE_MAX) : value)];
}

/** The term in the list's own names; empty for a column that it cannot sort by. */
function orderTerm(text: string, orders: ReadonlySet<string>): readonly string[] {
  const isDescending = text.startsWith('-');
  const sign = isDescending ? '-' : '';
  const field = (isDescending ? text.slice(1) : text).replaceAll('.', '__');
  const names = [field, ORDER_WORDS[field]].filter((name) => name !== undefined && orders.has(name));
  return names.slice(0, 1).map((name) => `${sign}${name}`);
}

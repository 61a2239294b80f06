/** Routes for lists, which answer one page of records. The types of query and records follow from the route. */
import type { Static, TSchema } from '@sinclair/typebox';
import { FIELDS, fieldsOf } from './request/fields.ts';
import { type Paging, paging, toPage } from './request/paging.ts';
import type { QueryPart, QueryParts } from './request/parameters.ts';
import type { PathParts } from './request/path-parameters.ts';
import { defineRoute, type Input, type Route, type RouteWords, reply } from './route.ts';
import { pageOf } from './schema.ts';

/** The records of one page, and the number of records in all pages. */
export interface Listed<Item> {
  readonly count: number;
  readonly results: readonly Item[];
}

type ListQuery<Query extends QueryParts> = {
  readonly paging: QueryPart<Paging>;
  readonly [FIELDS]: ReturnType<typeof fieldsOf>;
} & Query;

interface ListSpec<Path extends PathParts, Query extends QueryParts, Item extends TSchema, Deps>
  extends RouteWords<Path, Query> {
  readonly record: Item;
  /** Returns the requested page. */
  records(
    input: Input<Path, ListQuery<Query>, unknown>,
    deps: Deps,
  ): Promise<Listed<Static<Item>>> | Listed<Static<Item>>;
}

/** Makes the route of a list. */
export function defineList<
  Item extends TSchema,
  Path extends PathParts = Record<never, never>,
  Query extends QueryParts = Record<never, never>,
  Deps = unknown,
>({ record, records, ...words }: ListSpec<Path, Query, Item, Deps>): Route<Deps> {
  return defineRoute({
    ...words,
    method: 'GET',
    query: { paging, [FIELDS]: fieldsOf(record, true), ...words.query } as ListQuery<Query>,
    replies: { 200: pageOf(record) },
    async handle(input: Input<Path, ListQuery<Query>, unknown>, deps: Deps) {
      return reply(200, toPage(input.request, input.query.paging as Paging, await records(input, deps)));
    },
  });
}

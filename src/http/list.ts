/** Routes for lists, which answer one page of records. The types of query and records follow from the route. */
import type { Static, TSchema } from '@sinclair/typebox';
import { FIELDS, fieldsOf, type Selection, shownOfPage } from './request/fields.ts';
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

/** The same with records of which only some fields were read, those that the answer shows among them. */
export interface ListedSome<Item> {
  readonly count: number;
  readonly some: readonly Partial<Item>[];
}

type ListQuery<Query extends QueryParts> = {
  readonly paging: QueryPart<Paging>;
  readonly [FIELDS]: ReturnType<typeof fieldsOf>;
} & Query;

interface ListInput<Path extends PathParts, Query extends QueryParts>
  extends Input<Path, ListQuery<Query>, unknown> {
  /** The fields that the answer shows of each record; undefined: all. */
  readonly shown: ReadonlySet<string> | undefined;
}

interface ListSpec<Path extends PathParts, Query extends QueryParts, Item extends TSchema, Deps>
  extends RouteWords<Path, Query> {
  readonly record: Item;
  /** Returns the requested page. */
  records(input: ListInput<Path, Query>, deps: Deps): Promise<Found<Static<Item>>> | Found<Static<Item>>;
}

type Found<Item> = Listed<Item> | ListedSome<Item>;

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
      const { query, request } = input;
      const shown = shownOfPage(query[FIELDS] as Selection | undefined);
      const found = await records({ ...input, shown }, deps);
      // The answer leaves out the fields that are absent.
      const results = 'some' in found ? (found.some as readonly Static<Item>[]) : found.results;
      return reply(200, toPage(request, query.paging as Paging, { count: found.count, results }));
    },
  });
}

/** `/v6/changes/`: what happened to objects, in commit order. */
import { type Static, Type } from '@sinclair/typebox';
import { CHANGE_EVENTS, CHANGE_KINDS, type ChangeFilter } from '../../domain/change/object-change.ts';
import { AppError } from '../../domain/errors.ts';
import { choices, integer, integers, text, texts } from '../../http/request/parameters.ts';
import { defineRoute, type RouteRequest, reply } from '../../http/route.ts';
import {
  id,
  instant,
  named,
  oneOf,
  orNull,
  type StreamBody,
  integer as wholeNumber,
} from '../../http/schema.ts';
import type { SocketDoor } from '../../http/socket.ts';

const link = (description: string) => Type.Optional(id(description));

const ObjectChangeRecord = named(
  'ObjectChange',
  Type.Object({
    cursor: Type.String({ description: 'As `after`, it goes on behind this change.' }),
    at: instant(),
    kind: oneOf(CHANGE_KINDS),
    id: id('The id of the object.'),
    object_version: wholeNumber({
      minimum: 1,
      description: 'The number of changes of the object, this one included.',
    }),
    what: oneOf(CHANGE_EVENTS, '`status`: from `from` to `to`. `removed`: there is no record any more.'),
    from: orNull(Type.String({ description: 'The status before.' })),
    to: orNull(Type.String({ description: 'The status since.' })),
    recipe_id: link('The recipe that holds it.'),
    batch_id: link('The batch that it is of.'),
    job_id: link('The job that it is of, or made it.'),
    job_type_id: link('The type of its job.'),
    recipe_type_id: link('The type of its recipe.'),
    strike_id: link('The strike that it is of.'),
    scan_id: link('The scan that it is of.'),
    node_id: link('The node that it runs, or ran, on.'),
    file_id: link('The file that it is of.'),
    ingest_id: link('The ingest that started it.'),
    workspace_id: link('The workspace that it is in.'),
    error: Type.Optional(Type.String({ description: 'The name of the error that it ended with.' })),
  }),
);
export type ChangeRecord = Static<typeof ObjectChangeRecord>;

const ChangePage = named(
  'ChangePage',
  Type.Object({
    changes: Type.Array(ObjectChangeRecord),
    cursor: Type.String({
      description: 'As `after`, it goes on behind all that was looked at for this page.',
    }),
    is_at_end: Type.Boolean({ description: 'False: there is more already, even if the page is empty.' }),
  }),
);
export type ChangePageRecord = Static<typeof ChangePage>;

/** The filters of a query. A type's name stands for all its versions. */
export interface ChangeQuery extends Omit<ChangeFilter, 'links'> {
  readonly job_type_name: readonly string[];
  readonly recipe_type_name: readonly string[];
  readonly recipe_id: readonly number[];
  readonly batch_id: readonly number[];
  readonly job_id: readonly number[];
  readonly strike_id: readonly number[];
  readonly scan_id: readonly number[];
  readonly node_id: readonly number[];
}

export interface ChangeRouteDeps {
  readonly changes: {
    /** `after` undefined: from now on; '0': from the oldest. Throws AppError INVALID_PARAMETER, CHANGES_GONE. */
    page(after: string | undefined, query: ChangeQuery, limit: number): Promise<ChangePageRecord>;
    /** The cursor of a moment ago: nothing that is read from now on lacks a change before it. */
    position(): Promise<string>;
    /** Server-sent events. Throws as `page` does, and what `OpenStreams` throws. */
    events(
      after: string | undefined,
      query: ChangeQuery,
      request: Pick<RouteRequest, 'caller' | 'address' | 'signal'>,
    ): Promise<StreamBody>;
    /** A WebSocket with subscriptions. Throws what `OpenStreams` throws. */
    socket(request: Pick<RouteRequest, 'caller' | 'address'>): SocketDoor;
  };
}

const LIMIT = { usual: 100, max: 1_000 } as const;

const list = defineRoute({
  method: 'GET',
  path: '/v6/changes/',
  summary: 'Changes of objects, as they happened',
  description:
    'Every change of every object once, those of one object in the order of their versions. Several filters must all ' +
    'match; of the values of one, any. With `Accept: text/event-stream` they are sent as events, from the header ' +
    '`Last-Event-ID` or `after` on, without end. A WebSocket at this path serves several subscriptions. 410 ' +
    '`CHANGES_GONE`: changes after the cursor are no longer kept; read the lists again and go on from now.',
  query: {
    after: text(
      'A `cursor`; `0` is the oldest change that is kept. Without it the page is empty, and its cursor is now.',
    ),
    limit: integer(`At most so many changes; ${LIMIT.usual} when not given.`, {
      minimum: 1,
      maximum: LIMIT.max,
    }),
    kind: choices('Kinds of objects.', CHANGE_KINDS),
    what: choices('What the change is.', CHANGE_EVENTS),
    id: integers('Ids of the objects themselves, of any kind that is chosen.', { minimum: 1 }),
    status: texts('Statuses that objects have since the change.'),
    job_type_name: texts('Names of job types: the types, and what is of their jobs.'),
    recipe_type_name: texts('Names of recipe types: the types, and what is of their recipes.'),
    recipe_id: integers('Ids of recipes: the recipes, and what they hold.', { minimum: 1 }),
    batch_id: integers('Ids of batches: the batches, and what is of them.', { minimum: 1 }),
    job_id: integers('Ids of jobs: the jobs, their executions, and what they made.', { minimum: 1 }),
    strike_id: integers('Ids of strikes: the strikes, and what is of them.', { minimum: 1 }),
    scan_id: integers('Ids of scans: the scans, and what is of them.', { minimum: 1 }),
    node_id: integers('Ids of nodes: the nodes, and what runs or ran on them.', { minimum: 1 }),
  },
  mayBeGone: true,
  replies: { 200: ChangePage },
  async handle({ query }, { changes }: ChangeRouteDeps) {
    return reply(200, await changes.page(query.after, query, query.limit ?? LIMIT.usual));
  },
  async events({ query, request }, { changes }: ChangeRouteDeps) {
    if (query.limit !== undefined) {
      const description = 'is for pages; a stream goes on until its reader leaves';
      const errors = [{ name: 'NOT_ALLOWED', description, path: 'limit' }];
      throw new AppError('INVALID_PARAMETER', `limit: ${description}`, { errors });
    }
    // A client that connects again sends the address as before.
    const lastId = request.headers.get('last-event-id') ?? '';
    return changes.events(lastId === '' ? query.after : lastId, query, request);
  },
  socket: (request, { changes }: ChangeRouteDeps) => changes.socket(request),
});

export const changeRoutes = [list];

/** `/v6/changes/`: what happened to objects, in commit order. */
import { CHANGE_EVENTS, CHANGE_KINDS, CHANGE_STATUSES } from '../../domain/change/object-change.ts';
import { AppError } from '../../domain/errors.ts';
import { choices, integer, integers, text, texts } from '../../http/request/parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import type { Parts } from '../parts.ts';
import { CLIENT_MESSAGES, SERVICE_MESSAGES } from './messages.ts';
import { ChangePage } from './schema.ts';

const LIMIT = { usual: 100, max: 1_000 } as const;

const list = defineRoute({
  method: 'GET',
  path: '/v6/changes/',
  summary: 'Changes of objects, as they happened',
  description:
    'Every change of every object once; the changes of one object come in the order of their versions. A change must ' +
    'match every filter; it matches a filter with one of its values. With `Accept: text/event-stream` changes are ' +
    'sent as events, from the header `Last-Event-ID` or `after` on, without end. A WebSocket at this path serves ' +
    'several subscriptions. 410 `CHANGES_GONE`: changes after the cursor are no longer kept; read the lists again ' +
    'and continue from now.',
  query: {
    after: text(
      'A `cursor`; `0` is the oldest change that is kept. Without it the page is empty, and its cursor continues ' +
        'from now.',
    ),
    limit: integer(`The most changes in the page; ${LIMIT.usual} when not given.`, {
      minimum: 1,
      maximum: LIMIT.max,
    }),
    kind: choices('Kinds of objects.', CHANGE_KINDS),
    what: choices('What the change is.', CHANGE_EVENTS),
    id: integers('Ids of the objects themselves, of any kind that is chosen.', { minimum: 1 }),
    status: choices('Statuses that objects have since the change.', CHANGE_STATUSES),
    job_type_name: texts('Names of job types: the types, their jobs, and what belongs to these jobs.'),
    recipe_type_name: texts('Names of recipe types: the types, their recipes, and what belongs to these.'),
    recipe_id: integers('Ids of recipes: the recipes, and what belongs to them.', { minimum: 1 }),
    batch_id: integers('Ids of batches: the batches, and what belongs to them.', { minimum: 1 }),
    job_id: integers('Ids of jobs: the jobs, their executions, and their products.', { minimum: 1 }),
    strike_id: integers('Ids of strikes: the strikes, and what belongs to them.', { minimum: 1 }),
    scan_id: integers('Ids of scans: the scans, and what belongs to them.', { minimum: 1 }),
    node_id: integers('Ids of nodes: the nodes, and what runs or ran on them.', { minimum: 1 }),
  },
  mayBeGone: true,
  replies: { 200: ChangePage },
  async handle({ query }, { changes }: Parts<'changes'>) {
    return reply(200, await changes.page(query.after, query, query.limit ?? LIMIT.usual));
  },
  async events({ query, request }, { changes }: Parts<'changes'>) {
    if (query.limit !== undefined) {
      const description = 'is for pages; a stream continues until its reader leaves';
      const errors = [{ name: 'NOT_ALLOWED', description, path: 'limit' }];
      throw new AppError('INVALID_PARAMETER', `limit: ${description}`, { errors });
    }
    // A client that reconnects repeats the address, so the header is newer than `after`.
    const lastId = request.headers.get('last-event-id') ?? '';
    return changes.events(lastId === '' ? query.after : lastId, query, request);
  },
  socket: (request, { changes }: Parts<'changes'>) => changes.socket(request),
  socketMessages: { client: CLIENT_MESSAGES, service: SERVICE_MESSAGES },
});

export const changeRoutes = [list];

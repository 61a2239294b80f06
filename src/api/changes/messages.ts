/** Messages of the WebSocket at `/v6/changes/`: what its client sends, and what the service sends. */
import { type Static, Type } from '@sinclair/typebox';
import { CHANGE_EVENTS, CHANGE_KINDS, CHANGE_STATUSES } from '../../domain/change/object-change.ts';
import { id, oneOf, orNull, ProblemSchema } from '../../http/schema.ts';
import { ObjectChangeRecord } from './schema.ts';

/** limit: values of one filter. */
const VALUES_MAX = 1_000;
/** limit: characters of a subscription's name. */
const NAME_CHARS_MAX = 100;

const texts = () => Type.Optional(Type.Array(Type.String(), { maxItems: VALUES_MAX }));
const ids = () => Type.Optional(Type.Array(id(), { maxItems: VALUES_MAX }));

const Filters = Type.Object(
  {
    kind: Type.Optional(Type.Array(oneOf(CHANGE_KINDS))),
    what: Type.Optional(Type.Array(oneOf(CHANGE_EVENTS))),
    status: Type.Optional(Type.Array(oneOf(CHANGE_STATUSES), { maxItems: VALUES_MAX })),
    ...{ id: ids(), job_type_name: texts(), recipe_type_name: texts() },
    ...{ recipe_id: ids(), batch_id: ids(), job_id: ids(), strike_id: ids(), scan_id: ids(), node_id: ids() },
  },
  {
    description:
      'As the parameters of the same names. A change must match every filter; it matches a filter with one of its ' +
      'values.',
  },
);

const Name = Type.String({
  ...{ minLength: 1, maxLength: NAME_CHARS_MAX },
  description: 'The name of the subscription, chosen by the client.',
});

export const Open = Type.Object({
  type: oneOf(['open']),
  id: Name,
  filters: Type.Optional(Filters),
  after: Type.Optional(Type.String({ description: 'A cursor; `0` is the oldest. Without it: now.' })),
});
export const Close = Type.Object({ type: oneOf(['close']), id: Name });
/** The schema for messages of another type: checking it gives the problems of the type. */
export const Unknown = Type.Object({ type: oneOf(['open', 'close']), id: Name });

const own = { id: Type.String({ description: 'The name of the subscription.' }) };
const cursor = Type.String({ description: 'As `after`, it continues after everything that was sent.' });
const code = Type.String({ description: 'As in answers.' });
const detail = Type.String();

const SubscriptionOpened = Type.Object({ type: oneOf(['opened']), ...own, cursor });
const Changes = Type.Object({
  type: oneOf(['changes']),
  ...own,
  changes: Type.Array(ObjectChangeRecord),
  cursor,
});
const Cursor = Type.Object({ type: oneOf(['cursor']), ...own, cursor });
const Closed = Type.Object({
  ...{ type: oneOf(['closed']), ...own, cursor },
  ...{ code: Type.Optional(code), detail: Type.Optional(detail) },
});
const Refused = Type.Object({
  type: oneOf(['refused']),
  id: orNull(Type.String({ description: 'The name in the message; null if it had none.' })),
  ...{ code, detail, errors: Type.Array(ProblemSchema) },
});
const End = Type.Object({
  type: oneOf(['end']),
  reason: oneOf(['stopping', 'lapsed', 'slow', 'flooded']),
  cursors: Type.Record(Type.String(), Type.String(), { description: 'Where each subscription continues.' }),
});

export const CLIENT_MESSAGES = [Open, Close] as const;
export const SERVICE_MESSAGES = [SubscriptionOpened, Changes, Cursor, Closed, Refused, End] as const;
export type ServiceMessage = Static<(typeof SERVICE_MESSAGES)[number]>;
export type EndReason = Static<typeof End>['reason'];

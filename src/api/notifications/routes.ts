/** `/v6/notifications/`: receives notifications of object stores that cannot reach a queue. */
import { Type } from '@sinclair/typebox';
import { pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, type RawBody, reply } from '../../http/route.ts';
import { named } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';

const NotificationBody = Type.Unsafe<RawBody>({
  type: 'object',
  additionalProperties: true,
  description:
    'What the store sends: `Records`, as they are or in an envelope of a topic, or an event of a bus.',
});

const NotificationTaken = named(
  'NotificationTaken',
  Type.Object({
    objects: Type.Integer({ description: 'New objects that it names.' }),
    skipped: Type.Integer({ description: 'Records that name no new object.' }),
    problems: Type.Array(Type.String(), { description: 'Why records cannot be used.' }),
  }),
);

const take = defineRoute({
  method: 'POST',
  path: '/v6/notifications/{queue_name}/',
  summary: 'Take a notification of an object store',
  repeats: {
    reason: 'arrivals that are known are nothing new',
  },
  description:
    'For stores that speak HTTP only. The queue is one that a strike reads; a token is needed where the service has ' +
    'one.',
  access: 'notify',
  params: { queue_name: pathText },
  takesAnyQuery: true,
  body: NotificationBody,
  replies: { 202: NotificationTaken },
  async handle({ params, body, request }, { notifications }: Parts<'notifications'>) {
    const taken = await notifications.take({
      queueName: params.queue_name,
      document: body,
      authorization: request.headers.get('authorization'),
    });
    return reply(202, taken);
  },
});

export const notificationRoutes = [take];

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
    'What the store sends: `Records`, as they are or in the envelope of a topic, or an event of an event bus.',
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
    reason: 'objects that are already known are ignored',
  },
  description:
    'For stores that can only send HTTP. The queue is one that a strike reads. A token is needed if ' +
    'MILLRACE_NOTIFICATION_TOKEN is set.',
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

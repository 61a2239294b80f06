/** `/v6/secret-keys/`: ids of the encryption keys, and the progress of a key change. */
import { Type } from '@sinclair/typebox';
import { formatInstant } from '../../domain/times.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { instant, integer, named, orNull } from '../../http/schema.ts';
import { keyOverviews } from '../../store/secret-key/save.ts';
import type { Parts } from '../parts.ts';

const SecretKey = named(
  'SecretKey',
  Type.Object({
    id: Type.String({ description: 'Ten hexadecimal digits that identify the key without revealing it.' }),
    is_current: Type.Boolean({ description: 'Whether new secrets are encrypted with it.' }),
    began: orNull(instant('When encryption with it began; null if it never did.')),
    completed: orNull(instant('When everything was encrypted with it; null until then.')),
    holder_count: integer({ minimum: 0, description: 'Living coordinators that have it in their file.' }),
    coordinator_count: integer({ minimum: 0, description: 'Living coordinators.' }),
  }),
);

function instantOf(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}

const list = defineRoute({
  method: 'GET',
  path: '/v6/secret-keys/',
  summary: 'Keys that stored secrets are encrypted with',
  description:
    'The oldest first; keys that never encrypted anything come last. A new key is used once every coordinator has ' +
    'it. What older keys encrypted is then encrypted again, which takes at least a minute.',
  replies: { 200: named('SecretKeys', Type.Object({ results: Type.Array(SecretKey) })) },
  async handle(_input, { sql }: Parts<'sql'>) {
    const keys = await keyOverviews(sql);
    const results = keys.map(({ id, isCurrent, began, completed, holders, coordinators }) => ({
      ...{ id, is_current: isCurrent, began: instantOf(began), completed: instantOf(completed) },
      ...{ holder_count: holders, coordinator_count: coordinators },
    }));
    return reply(200, { results });
  },
});

export const secretKeyRoutes = [list];

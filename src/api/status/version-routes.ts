/** `/v6/version/`: the version of Millrace. Open to everyone, without a database query. */
import { Type } from '@sinclair/typebox';
import { defineRoute, reply } from '../../http/route.ts';
import { named } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';

const getVersion = defineRoute({
  method: 'GET',
  path: '/v6/version/',
  summary: 'Version of the service',
  access: 'open',
  replies: {
    200: named('Version', Type.Object({ version: Type.String({ description: 'A semantic version.' }) })),
  },
  handle: (_input, { version }: Parts<'version'>) => reply(200, { version }),
});

export const versionRoutes = [getVersion];

/** `/v6/`: links to the other parts of the interface. Open to everyone, without a database query. */
import { type Static, Type } from '@sinclair/typebox';
import { defineRoute, type Route, reply } from '../../http/route.ts';
import { named } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';

const Start = named(
  'Start',
  Type.Object({
    detail: Type.String(),
    version: Type.String(),
    docs: Type.String({ description: 'All calls, for people.' }),
    openapi: Type.String({ description: 'All calls, for programs.' }),
    login: Type.String({ description: 'Where people log in, if authentication is on.' }),
    resources: Type.Record(Type.String(), Type.String(), {
      description: 'URLs of what can be listed, by name.',
    }),
  }),
);

/** The route that lists the list routes among `routes`. */
export function startRoute(routes: readonly Route<never>[]): Route<Parts<'version'>> {
  const lists = routes.filter(({ method, path, query }) => {
    return method === 'GET' && !path.includes('{') && query?.paging !== undefined;
  });
  const names = lists.map(({ path }) => path.slice('/v6/'.length, -1));
  return defineRoute({
    method: 'GET',
    path: '/v6/',
    summary: 'Where to go from here',
    access: 'open',
    replies: { 200: Start },
    handle({ request }, { version }: Parts<'version'>) {
      const { base } = request;
      const body: Static<typeof Start> = {
        detail: `This is the interface of Millrace. ${base}/docs/ lists its calls, with examples of bodies.`,
        version,
        docs: `${base}/docs/`,
        openapi: `${base}/v6/openapi.json`,
        login: `${base}/login/`,
        resources: Object.fromEntries(names.map((name) => [name, `${base}/v6/${name}/`])),
      };
      return reply(200, body);
    },
  });
}

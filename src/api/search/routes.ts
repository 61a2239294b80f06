/** `/v6/search/`: what a text names, of all kinds. */
import { Type } from '@sinclair/typebox';
import { required, text } from '../../http/request/parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, named, oneOf, orNull } from '../../http/schema.ts';
import { FOUND_KINDS, findObjects } from '../../store/search/list.ts';
import type { Parts } from '../parts.ts';

const foundFields = {
  kind: oneOf(FOUND_KINDS),
  id: id(),
  title: Type.String({
    description: "Its title; of jobs and recipes that of their type; else a file's or host's name.",
  }),
  name: orNull(
    Type.String({ description: 'Of jobs and recipes that of their type. Null: the kind has none.' }),
  ),
  version: orNull(Type.String({ description: 'Of a job type.' })),
};
export const FoundObjects = named(
  'FoundObjects',
  Type.Object({
    results: Type.Array(Type.Object(foundFields), { description: 'Those with the id first; then by kind.' }),
  }),
);

const ID = /^[1-9]\d{0,14}$/;

const search = defineRoute({
  method: 'GET',
  path: '/v6/search/',
  summary: 'Find objects by a part of their name or title, or by their id',
  description:
    'Types, strikes, scans, workspaces, batches, datasets and nodes by a part of their name or title, in any case: ' +
    'of each kind 5, from the 10,000 newest. A number also finds the object of each kind with this id, jobs, ' +
    'recipes, files and ingests included. Files are found by name with `/v6/files/?file_name_search=`.',
  query: { text: required(text('What is searched for.')) },
  replies: { 200: FoundObjects },
  async handle({ query }, { sql }: Parts<'sql'>) {
    const wanted = query.text.trim();
    return reply(200, {
      results: await findObjects(sql, wanted, ID.test(wanted) ? Number(wanted) : undefined),
    });
  },
});

export const searchRoutes = [search];

/** `/v6/search/`: finds objects of all kinds by a part of their name or title, or by their id. */
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
    description: 'Its title; for jobs and recipes that of their type; for files and nodes the name.',
  }),
  name: orNull(
    Type.String({ description: 'For jobs and recipes that of their type. Null: the kind has no names.' }),
  ),
  version: orNull(Type.String({ description: 'The version of a job type; null for other kinds.' })),
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
    'Finds types, strikes, scans, workspaces, batches, datasets and nodes by a part of their name or title, in any ' +
    'case: at most 5 of each kind, from the 10,000 newest. A number also finds the object of each kind with this id, ' +
    'including jobs, recipes, files and ingests. `/v6/files/?file_name_search=` finds files by their names.',
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

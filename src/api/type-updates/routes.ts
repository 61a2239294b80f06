/** `/v6/type-updates/`: recipe types that are being updated to a new revision of a type inside them. */
import { Type } from '@sinclair/typebox';
import { defineList } from '../../http/list.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { flag, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { id, instant, integer, named, oneOf } from '../../http/schema.ts';
import { findTypeUpdate, listTypeUpdates } from '../../store/type-update/list.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { count, nullableInstant, nullableText } from '../shared/records.ts';

const fields = {
  id: id(),
  kind: oneOf(['job', 'recipe'], 'Whether a job type or a recipe type has a new revision.'),
  type: Type.Object({ id: id(), name: Type.String(), version: nullableText }),
  revision_num: integer({ minimum: 1, description: 'The new revision.' }),
  status: oneOf(['RUNNING', 'COMPLETED']),
  recipe_types_total: count,
  recipe_types_raised: count,
  recipe_types_unchanged: integer({
    minimum: 0,
    description: 'Recipe types that already had the revision or a newer one.',
  }),
  recipe_types_behind: integer({ minimum: 0, description: 'Recipe types that keep their revision.' }),
  created: instant(),
  completed: nullableInstant,
  last_modified: instant(),
};

const TypeUpdate = named('TypeUpdate', Type.Object(fields));
const TypeUpdateDetails = named(
  'TypeUpdateDetails',
  Type.Object({
    ...fields,
    recipe_types: Type.Array(
      Type.Object({
        id: id(),
        name: Type.String(),
        title: Type.String(),
        revision_num: integer({ minimum: 1, description: 'Its newest revision now.' }),
        reason: Type.String({ description: 'Why it stayed behind.' }),
      }),
      { description: 'Recipe types that stayed behind, by name; the first 1,000.' },
    ),
  }),
);

/** The path of one update. */
export const typeUpdatePath = (id: number): string => `/v6/type-updates/${id}/`;

const filters = {
  range: timeRange(),
  name: texts('Names of the job types and recipe types that have a new revision.'),
  is_completed: flag('True: only updates that are done; false: only the others.'),
};
const order = orderBy(scalarFields(TypeUpdate), ['last_modified']);

const list = defineList({
  path: '/v6/type-updates/',
  summary: 'List updates of recipe types to a new revision of a type that they contain',
  query: { ...filters, order },
  record: TypeUpdate,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listTypeUpdates(sql, query, query.order, query.paging, shown),
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/type-updates/{id}/',
  summary: 'Show how far an update of recipe types has come, and which stayed behind',
  params: { id: pathId },
  replies: { 200: TypeUpdateDetails },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await findTypeUpdate(sql, params.id), 'type update', params.id));
  },
});

export const typeUpdateRoutes = [list, details];

/** Lists of requests to update recipe types to a new revision. */

import type { MsRange } from '../../domain/listing/filters.ts';
import { expression, listIn, object, orderBy, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

const JOINS = `left join job_type jt on u.kind = 'job' and jt.id = u.type_id
  left join recipe_type rt on u.kind = 'recipe' and rt.id = u.type_id`;

const u = row('type_update', 'u');
const COUNTS = {
  recipe_types_total: u.column('total'),
  recipe_types_raised: u.column('raised_count'),
  recipe_types_unchanged: u.column('unchanged_count'),
  recipe_types_behind: u.column('behind_count'),
};
const FIELDS = {
  ...u.columns('id'),
  kind: u.oneOf<'job' | 'recipe'>('kind'),
  type: object({
    id: u.column('type_id'),
    name: expression<string>('coalesce(jt.name, rt.name)'),
    version: expression<string | null>('jt.version'),
  }),
  ...u.columns('revision_num'),
  status: expression<'RUNNING' | 'COMPLETED'>(
    `case when u.completed is null then 'RUNNING' else 'COMPLETED' end`,
  ),
  ...COUNTS,
  ...u.instants('created', 'completed', 'last_modified'),
};

const TYPE_UPDATES = {
  rows: u,
  joins: JOINS,
  fields: FIELDS,
  order: {
    ...u.order('id', 'kind', 'revision_num', 'created', 'completed', 'last_modified'),
    type__id: { by: 'u.type_id' },
    type__name: { by: 'lower(coalesce(jt.name, rt.name))', join: JOINS },
    type__version: { by: 'lower(jt.version)', join: JOINS },
    status: { by: '(u.completed is not null)' },
    ...orderBy(COUNTS),
  },
};

export interface TypeUpdateFilter {
  readonly range: MsRange;
  readonly name: readonly string[];
  readonly is_completed: boolean | undefined;
}

export const listTypeUpdates = listOf(TYPE_UPDATES, (where, filter: TypeUpdateFilter) => {
  where.range(filter.range, 'u.last_modified');
  where.flag('(u.completed is not null)', filter.is_completed);
  if (filter.name.length > 0) {
    const names = `any(${where.param(filter.name)}::text[])`;
    where.add(`(u.kind = 'job' and u.type_id = any(array(select id from job_type where name = ${names}))
      or u.kind = 'recipe' and u.type_id = any(array(select id from recipe_type where name = ${names})))`);
  }
});

// limit: recipe types listed with a request because they were not updated; all are counted.
const BEHIND_MAX = 1_000;

const t = row('recipe_type', 't');
const BEHIND = listIn(
  object({
    ...t.columns('id', 'name', 'title', 'revision_num'),
    reason: expression<string>('m.reason'),
  }),
  `type_update_member m join recipe_type t on t.id = m.recipe_type_id
    where m.update_id = u.id and m.state = 'behind'`,
  't.name',
  BEHIND_MAX,
);

const DETAILS = object({ ...FIELDS, recipe_types: BEHIND });

/** Undefined if there is no such request. */
export function findTypeUpdate(sql: Sql, id: number) {
  return findRecord(sql, DETAILS, `type_update u ${JOINS} where u.id = $1`, [id]);
}

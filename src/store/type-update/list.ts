/** Lists of requests to update recipe types to a new revision. */

import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type MsRange,
  type OrderKey,
  type PageBounds,
  plainOrder,
} from '../sql/listing.ts';
import { columns, instants, object } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

const JOINS = `left join job_type jt on u.kind = 'job' and jt.id = u.type_id
  left join recipe_type rt on u.kind = 'recipe' and rt.id = u.type_id`;

const FIELDS = {
  ...columns('u', ['id', 'kind']),
  type: object({ id: 'u.type_id', name: 'coalesce(jt.name, rt.name)', version: 'jt.version' }),
  revision_num: 'u.revision_num',
  status: `case when u.completed is null then 'RUNNING' else 'COMPLETED' end`,
  recipe_types_total: 'u.total',
  recipe_types_raised: 'u.raised_count',
  recipe_types_unchanged: 'u.unchanged_count',
  recipe_types_behind: 'u.behind_count',
  ...instants('u', ['created', 'completed', 'last_modified']),
};

const TYPE_UPDATES: ListShape = {
  from: 'type_update u',
  id: 'u.id',
  joins: JOINS,
  record: object(FIELDS),
  order: {
    ...plainOrder('u', ['id', 'kind', 'revision_num', 'created', 'completed', 'last_modified']),
    type__id: { by: 'u.type_id' },
    type__name: { by: 'lower(coalesce(jt.name, rt.name))', join: JOINS },
    type__version: { by: 'lower(jt.version)', join: JOINS },
    status: { by: '(u.completed is not null)' },
    recipe_types_total: { by: 'u.total' },
    recipe_types_raised: { by: 'u.raised_count' },
    recipe_types_unchanged: { by: 'u.unchanged_count' },
    recipe_types_behind: { by: 'u.behind_count' },
  },
};

export interface TypeUpdateFilter {
  readonly range: MsRange;
  readonly name: readonly string[];
  readonly is_completed: boolean | undefined;
}

export function listTypeUpdates<R extends object>(
  sql: Sql,
  filter: TypeUpdateFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'u.last_modified');
  conditions.flag('(u.completed is not null)', filter.is_completed);
  if (filter.name.length > 0) {
    const names = `any(${conditions.param(filter.name)}::text[])`;
    conditions.add(`(u.kind = 'job' and u.type_id = any(array(select id from job_type where name = ${names}))
      or u.kind = 'recipe' and u.type_id = any(array(select id from recipe_type where name = ${names})))`);
  }
  return listRecords(sql, TYPE_UPDATES, conditions, order, page);
}

// limit: recipe types listed with a request because they were not updated; all are counted.
const BEHIND_MAX = 1_000;

const BEHIND = `(select coalesce(json_agg(found.record order by found.name), '[]') from (
  select t.name, ${object({
    ...columns('t', ['id', 'name', 'title', 'revision_num']),
    reason: 'm.reason',
  })} as record
  from type_update_member m join recipe_type t on t.id = m.recipe_type_id
  where m.update_id = u.id and m.state = 'behind'
  order by t.name limit ${BEHIND_MAX}) as found)`;

/** Undefined if there is no such request. */
export async function findTypeUpdate<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const [row] = await sql.execute<{ record: R }>(
    `select ${object({ ...FIELDS, recipe_types: BEHIND })} as record from type_update u ${JOINS} where u.id = $1`,
    [id],
  );
  return row?.record;
}

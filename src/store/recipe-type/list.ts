/** Read models of recipe types: list, details with the types inside, revisions. Catalog tables: small. */

import { CURRENT_REVISION, JOB_TYPE_DETAILS } from '../job-type/list.ts';
import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type OrderKey,
  type PageBounds,
  plainOrder,
  textOrder,
} from '../sql/listing.ts';
import { columns, instants, object, recipeTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface RecipeTypeFilter {
  readonly keyword: readonly string[];
  readonly is_active: boolean | undefined;
  readonly is_system: boolean | undefined;
}

const HEAD = ['id', 'name', 'title', 'description', 'is_active', 'is_system', 'revision_num'];
const INSTANTS = ['created', 'deprecated', 'last_modified'];

/** All fields except the types inside. */
function headOf(alias: string): Record<string, string> {
  return { ...columns(alias, HEAD), ...instants(alias, INSTANTS) };
}

/** A JSON list of the rows behind `link`, never null. */
function listOf(record: string, from: string, order: string): string {
  return `(select coalesce(json_agg(${record} order by ${order}), '[]') from ${from})`;
}

const JOB_LINK = `recipe_type_job_type link join job_type jt on jt.id = link.job_type_id`;
const SUB_LINK = `recipe_type_sub_type link join recipe_type sub on sub.id = link.sub_recipe_type_id
  where link.recipe_type_id = rt.id`;
const SUPER_LINK = `recipe_type_sub_type link join recipe_type super on super.id = link.recipe_type_id
  where link.sub_recipe_type_id = rt.id`;

const RECIPE_TYPES: ListShape = {
  from: 'recipe_type rt',
  id: 'rt.id',
  joins: '',
  record: object({
    ...columns('rt', HEAD),
    job_types: listOf(
      object(columns('jt', ['name', 'version'])),
      `${JOB_LINK} where link.recipe_type_id = rt.id`,
      'jt.name, jt.id',
    ),
    sub_recipe_types: listOf('sub.name', SUB_LINK, 'sub.name'),
    ...instants('rt', INSTANTS),
  }),
  order: {
    ...plainOrder('rt', ['id', 'is_active', 'is_system', 'revision_num', ...INSTANTS]),
    ...textOrder('rt', ['name', 'title', 'description']),
  },
};

export function listRecipeTypes<R extends object>(
  sql: Sql,
  filter: RecipeTypeFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.like(['rt.name', 'rt.title', 'rt.description'], filter.keyword);
  conditions.flag('rt.is_active', filter.is_active);
  conditions.flag('rt.is_system', filter.is_system);
  return listRecords(sql, RECIPE_TYPES, conditions, order, page);
}

const DETAILS = object({
  ...columns('rt', HEAD),
  definition: 'rt.definition',
  job_types: listOf(
    JOB_TYPE_DETAILS,
    `${JOB_LINK} ${CURRENT_REVISION} where link.recipe_type_id = rt.id`,
    'jt.name, jt.id',
  ),
  sub_recipe_types: listOf(object({ ...headOf('sub'), definition: 'sub.definition' }), SUB_LINK, 'sub.name'),
  super_recipe_types: listOf(object(headOf('super')), SUPER_LINK, 'super.name'),
  ...instants('rt', INSTANTS),
});

/** Undefined if there is no such name. */
export async function findRecipeType<R extends object>(sql: Sql, name: string): Promise<R | undefined> {
  const text = `select ${DETAILS} as record from recipe_type rt where rt.name = $1`;
  const rows = await sql.execute<{ record: R }>(text, [name]);
  return rows[0]?.record;
}

const REVISION_FROM = 'recipe_type_rev rev join recipe_type rt on rt.id = rev.recipe_type_id';
const REVISIONS: ListShape = {
  from: REVISION_FROM,
  id: 'rev.id',
  joins: '',
  record: object({
    id: 'rev.id',
    recipe_type: recipeTypeSummary('rt'),
    revision_num: 'rev.revision_num',
    ...instants('rev', ['created']),
  }),
  order: plainOrder('rev', ['revision_num']),
};

/** Revisions, newest first; undefined if there is no such recipe type. */
export async function listRecipeTypeRevisions<R extends object>(
  sql: Sql,
  name: string,
  page: PageBounds,
): Promise<Listed<R> | undefined> {
  const conditions = new Conditions();
  conditions.anyOf('rt.name', 'text', [name]);
  const newest = [{ field: 'revision_num', isDescending: true }];
  const listed = await listRecords<R>(sql, REVISIONS, conditions, newest, page);
  return listed.count === 0 ? undefined : listed;
}

export async function findRecipeTypeRevision<R extends object>(
  sql: Sql,
  name: string,
  revisionNum: number,
): Promise<R | undefined> {
  const record = object({
    id: 'rev.id',
    recipe_type: object(headOf('rt')),
    ...columns('rev', ['revision_num', 'definition']),
    ...instants('rev', ['created']),
  });
  const rows = await sql.execute<{ record: R }>(
    `select ${record} as record from ${REVISION_FROM} where rt.name = $1 and rev.revision_num = $2::bigint`,
    [name, revisionNum],
  );
  return rows[0]?.record;
}

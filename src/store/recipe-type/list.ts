/** Read models of recipe types: list, details with the types inside, revisions. Catalog tables: small. */

import type { Labels, LabelTerm } from '../../domain/labels.ts';
import type { RecipeDefinition } from '../../domain/recipe/recipe-definition.ts';
import { newestRevisions } from '../catalog/newest-revisions.ts';
import { CURRENT_REVISION, JOB_TYPE_DETAILS } from '../job-type/list.ts';
import { listIn, object, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import { recipeTypeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface RecipeTypeFilter {
  readonly label: readonly LabelTerm[];
  readonly keyword: readonly string[];
  readonly id: readonly number[];
  readonly is_active: boolean | undefined;
  readonly is_system: boolean | undefined;
}

const HEAD = ['id', 'name', 'title', 'description', 'is_active', 'is_system', 'revision_num'] as const;
const INSTANTS = ['created', 'deprecated', 'last_modified'] as const;

/** All fields except the types inside. */
function headOf(alias: string) {
  const type = row('recipe_type', alias);
  return { ...type.columns(...HEAD), ...type.instants(...INSTANTS) };
}

const JOB_LINK = `recipe_type_job_type link join job_type jt on jt.id = link.job_type_id`;
const SUB_LINK = `recipe_type_sub_type link join recipe_type sub on sub.id = link.sub_recipe_type_id
  where link.recipe_type_id = rt.id`;
const SUPER_LINK = `recipe_type_sub_type link join recipe_type super on super.id = link.recipe_type_id
  where link.sub_recipe_type_id = rt.id`;

const rt = row('recipe_type', 'rt');
const rev = row('recipe_type_rev', 'rev');
const sub = row('recipe_type', 'sub');

const LABELS = { labels: rt.document<Labels>('labels') };

const INSIDE = {
  job_types: listIn(
    object(row('job_type', 'jt').columns('name', 'version')),
    `${JOB_LINK} where link.recipe_type_id = rt.id`,
    'jt.name, jt.id',
  ),
  sub_recipe_types: listIn(sub.column('name'), SUB_LINK, 'sub.name'),
};

const RECIPE_TYPES = {
  rows: rt,
  fields: {
    ...rt.columns(...HEAD, 'object_version'),
    ...LABELS,
    ...INSIDE,
    ...rt.instants(...INSTANTS),
  },
  order: {
    ...rt.order('id', 'is_active', 'is_system', 'revision_num', ...INSTANTS),
    ...rt.textOrder('name', 'title', 'description'),
  },
};

export const listRecipeTypes = listOf(RECIPE_TYPES, (where, filter: RecipeTypeFilter) => {
  where.add('rt.deleted is null');
  where.like(['rt.name', 'rt.title', 'rt.description'], filter.keyword);
  where.anyOf('rt.id', 'bigint', filter.id);
  where.flag('rt.is_active', filter.is_active);
  where.flag('rt.is_system', filter.is_system);
  where.labels('rt.labels', filter.label);
});

const DETAILS = object({
  ...rt.columns(...HEAD, 'object_version'),
  ...LABELS,
  definition: rt.document('definition'),
  job_types: listIn(
    JOB_TYPE_DETAILS,
    `${JOB_LINK} ${CURRENT_REVISION} where link.recipe_type_id = rt.id`,
    'jt.name, jt.id',
  ),
  sub_recipe_types: listIn(
    object({ ...headOf('sub'), definition: sub.document('definition') }),
    SUB_LINK,
    'sub.name',
  ),
  super_recipe_types: listIn(object(headOf('super')), SUPER_LINK, 'super.name'),
  ...rt.instants(...INSTANTS),
});

/** Undefined if there is no such name. */
export function findRecipeType(sql: Sql, name: string) {
  return findRecord(sql, DETAILS, 'recipe_type rt where rt.name = $1 and rt.deleted is null', [name]);
}

const TYPE_JOIN = 'join recipe_type rt on rt.id = rev.recipe_type_id';
const REVISIONS = {
  rows: rev,
  joined: TYPE_JOIN,
  fields: {
    ...rev.columns('id'),
    recipe_type: recipeTypeSummary('rt'),
    ...rev.columns('revision_num'),
    ...rev.instants('created'),
  },
  order: rev.order('revision_num'),
};

/** Revisions, newest first; undefined if there is no such recipe type. */
export const listRecipeTypeRevisions = newestRevisions(
  listOf(REVISIONS, (where, name: string) => {
    where.add('rt.deleted is null');
    where.anyOf('rt.name', 'text', [name]);
  }),
);

const REVISION_DETAILS = object({
  ...rev.columns('id'),
  recipe_type: object(headOf('rt')),
  ...rev.columns('revision_num'),
  definition: rev.document('definition'),
  ...rev.instants('created'),
});

export function findRecipeTypeRevision(sql: Sql, name: string, revisionNum: number) {
  const from = `recipe_type_rev rev ${TYPE_JOIN}
    where rt.name = $1 and rev.revision_num = $2::bigint and rt.deleted is null`;
  return findRecord(sql, REVISION_DETAILS, from, [name, revisionNum]);
}

/** The definitions of those of the given revisions that exist, by number. */
export async function definitionsOf(
  sql: Sql,
  name: string,
  revisions: readonly number[],
): Promise<ReadonlyMap<number, RecipeDefinition>> {
  const rows = await sql.execute<{ revision: number; definition: RecipeDefinition }>(
    `select rev.revision_num as revision, rev.definition from recipe_type_rev rev ${TYPE_JOIN}
     where rt.name = $1 and rev.revision_num = any($2::bigint[]) and rt.deleted is null`,
    [name, revisions],
  );
  return new Map(rows.map(({ revision, definition }) => [revision, definition]));
}

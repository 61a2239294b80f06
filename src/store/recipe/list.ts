/** Lists of recipes, and details with the nodes and their states. */
import type { RecipeFilter, SourceFilter } from '../../domain/listing/filters.ts';
import { COUNTED_BATCH_RECIPES, COUNTED_RECIPES } from '../metrics/list-counts.ts';
import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type OrderKey,
  type PageBounds,
  plainOrder,
  recordsById,
  textOrder,
} from '../sql/listing.ts';
import { batchOrder, eventOrder, recipeOrder, recipeTypeOrder } from '../sql/record-order.ts';
import {
  batchRef,
  columns,
  eventRecord,
  instants,
  iso,
  object,
  objectIf,
  recipeTypeSummary,
  sourceFields,
} from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

const COUNTS = [
  ...['jobs_total', 'jobs_pending', 'jobs_blocked', 'jobs_queued', 'jobs_running', 'jobs_failed'],
  ...['jobs_completed', 'jobs_canceled', 'sub_recipes_total', 'sub_recipes_completed'],
];
const SOURCES = ['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'];
const SOURCE_INSTANTS = ['source_started', 'source_ended'];
const INSTANTS = ['created', 'completed', 'superseded', 'last_modified'];

const PARENT_JOIN = `left join (recipe parent join recipe_type parent_rt on parent_rt.id = parent.recipe_type_id)
    on parent.id = r.parent_id`;
const RELATED = `join event e on e.id = r.event_id
  ${PARENT_JOIN}`;
const JOINS = `join recipe_type rt on rt.id = r.recipe_type_id
  join recipe_type_rev rev on rev.id = r.recipe_type_rev_id
  ${RELATED}`;

/** `recipe` inside jobs and sub-recipes. */
export function recipeSummary(alias: string, typeAlias: string): string {
  return objectIf(`${alias}.id`, {
    id: `${alias}.id`,
    recipe_type: recipeTypeSummary(typeAlias),
    recipe_type_rev: object({ id: `${alias}.recipe_type_rev_id` }),
    event: object({ id: `${alias}.event_id` }),
  });
}

const HEAD = {
  id: 'r.id',
  recipe_type: recipeTypeSummary('rt'),
};
const BODY = {
  event: eventRecord('e'),
  recipe: recipeSummary('parent', 'parent_rt'),
  batch: batchRef('r.batch_id'),
  is_superseded: 'r.is_superseded',
  superseded_recipe: objectIf('r.superseded_recipe_id', { id: 'r.superseded_recipe_id' }),
};
const MEASURES = {
  input_file_size: 'r.input_file_size',
  ...sourceFields('r'),
  ...columns('r', [...COUNTS, 'is_completed']),
  ...instants('r', INSTANTS),
};
const REVISION = {
  id: 'rev.id',
  recipe_type: object({ id: 'rev.recipe_type_id' }),
  revision_num: 'rev.revision_num',
};

const RECIPE_TYPE_JOIN = 'join recipe_type rt on rt.id = r.recipe_type_id';
const RECIPES: ListShape = {
  from: 'recipe r',
  counted: [COUNTED_RECIPES, COUNTED_BATCH_RECIPES],
  id: 'r.id',
  joins: JOINS,
  record: object({ ...HEAD, recipe_type_rev: object(REVISION), ...BODY, ...MEASURES }),
  order: {
    ...plainOrder('r', ['id', 'is_superseded', 'is_completed', 'input_file_size', ...COUNTS]),
    ...plainOrder('r', [...SOURCE_INSTANTS, ...INSTANTS]),
    ...textOrder('r', SOURCES),
    recipe_type: { by: 'lower(rt.name)', join: RECIPE_TYPE_JOIN },
    ...recipeTypeOrder('recipe_type', 'r.recipe_type_id', { alias: 'rt', join: RECIPE_TYPE_JOIN }),
    recipe_type_rev__id: { by: 'r.recipe_type_rev_id' },
    recipe_type_rev__recipe_type__id: { by: 'r.recipe_type_id' },
    recipe_type_rev__revision_num: {
      by: 'rev.revision_num',
      join: 'join recipe_type_rev rev on rev.id = r.recipe_type_rev_id',
    },
    ...eventOrder('event', 'r.event_id'),
    ...recipeOrder('recipe', 'r.parent_id', { alias: 'parent', join: PARENT_JOIN }, 'parent_rt'),
    ...batchOrder('batch', 'r.batch_id'),
    superseded_recipe__id: { by: 'r.superseded_recipe_id' },
  },
};

/** Conditions that jobs and recipes share; the range compares `last_modified`. */
export function addSourceFilter(conditions: Conditions, alias: string, filter: SourceFilter): void {
  conditions.range(filter.range, `${alias}.last_modified`);
  conditions.range(filter.sourceRange, `${alias}.source_started`, `${alias}.source_ended`);
  conditions.anyOf(`${alias}.source_sensor_class`, 'text', filter.source_sensor_class);
  conditions.anyOf(`${alias}.source_sensor`, 'text', filter.source_sensor);
  conditions.anyOf(`${alias}.source_collection`, 'text', filter.source_collection);
  conditions.anyOf(`${alias}.source_task`, 'text', filter.source_task);
}

/** All recipes below the given ones, at any depth, without these; carried-over ones included. Read once. */
function addBelow(conditions: Conditions, ids: readonly number[]): void {
  if (ids.length === 0) return;
  const given = `${conditions.param(ids)}::bigint[]`;
  conditions.add(`r.id = any(array(
    with recursive chain as materialized (
      select id, parent_id from recipe
      where chain_id = any(array(select chain_id from recipe where id = any(${given})))
    ), tree as materialized (
      select id, parent_id from chain
      union
      select sub_recipe_id, recipe_id from recipe_node
      where recipe_id = any(array(select id from chain)) and sub_recipe_id is not null
    ), below as (
      select id from tree where parent_id = any(${given})
      union
      select tree.id from tree join below on tree.parent_id = below.id
    ) select id from below))`);
}

export function listRecipes<R extends object>(
  sql: Sql,
  filter: RecipeFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  addSourceFilter(conditions, 'r', filter);
  conditions.anyOf('r.id', 'bigint', filter.recipe_id);
  conditions.anyOf('r.recipe_type_id', 'bigint', filter.recipe_type_id);
  if (filter.recipe_type_name.length > 0) {
    const names = conditions.param(filter.recipe_type_name);
    conditions.addOn(
      'r.recipe_type_id',
      (operand) => `${operand} = any(array(select id from recipe_type where name = any(${names}::text[])))`,
    );
  }
  conditions.anyOf('r.batch_id', 'bigint', filter.batch_id);
  addBelow(conditions, filter.root_recipe_id);
  conditions.flag('r.is_superseded', filter.is_superseded);
  conditions.flag('r.is_completed', filter.is_completed);
  return listRecords(sql, RECIPES, conditions, order, page);
}

/** The existing nodes in their present state; nodes after an unprocessed or refused condition are absent. */
const NODE_TYPE = `case
  when n.job_id is not null then ${object({
    node_type: `'job'`,
    job_type_name: 'jt.name',
    job_type_version: 'jt.version',
    job_type_revision: 'jt_rev.revision_num',
    job_id: 'j.id',
    status: 'j.status',
  })}
  when n.sub_recipe_id is not null then ${object({
    node_type: `'recipe'`,
    recipe_type_name: 'sub_rt.name',
    recipe_type_revision: 'sub_rev.revision_num',
    recipe_id: 'sub.id',
    ...columns('sub', ['is_completed', ...COUNTS]),
  })}
  else ${object({
    node_type: `'condition'`,
    condition_id: 'c.id',
    ...columns('c', ['is_processed', 'is_accepted', 'reason']),
  })} end`;

const NODES = `(select coalesce(json_object_agg(n.name, ${object({
  dependencies: `coalesce(of_rev.dependencies->n.name, '[]')`,
  node_type: NODE_TYPE,
})} order by n.name), '{}')
  from recipe_node n
  left join (job j join job_type jt on jt.id = j.job_type_id
    join job_type_rev jt_rev on jt_rev.id = j.job_type_rev_id) on j.id = n.job_id
  left join (recipe sub join recipe_type sub_rt on sub_rt.id = sub.recipe_type_id
    join recipe_type_rev sub_rev on sub_rev.id = sub.recipe_type_rev_id) on sub.id = n.sub_recipe_id
  left join recipe_condition c on c.id = n.condition_id
  where n.recipe_id = r.id)`;

/** Types of the nodes of the recipe's own revision. */
const JOB_TYPES = `(select coalesce(json_agg(${object(
  columns('jt', ['id', 'name', 'version', 'title', 'description', 'icon_code']),
)} order by jt.id), '[]') from job_type jt where (jt.name, jt.version) in (
    select node.value->'node_type'->>'job_type_name', node.value->'node_type'->>'job_type_version'
    from jsonb_each(rev.definition->'nodes') as node))`;

const SUB_RECIPE_TYPES = `(select coalesce(json_agg(${recipeTypeSummary('s')} order by s.id), '[]')
  from recipe_type s where s.name in (
    select node.value->'node_type'->>'recipe_type_name' from jsonb_each(rev.definition->'nodes') as node))`;

const INPUT = object({
  files: `coalesce(r.input->'files', '{}')`,
  json: `coalesce(r.input->'json', '{}')`,
});

const TYPE_DETAILS = {
  ...columns('rt', ['id', 'name', 'title', 'description', 'is_active', 'is_system', 'revision_num']),
  ...instants('rt', ['created', 'deprecated', 'last_modified']),
};

const DEPENDENCIES = `(select jsonb_object_agg(node.key, (
    select coalesce(jsonb_agg(jsonb_build_object('name', dependency->>'name')), '[]')
    from jsonb_array_elements(node.value->'dependencies') as dependency))
  from jsonb_each(rev.definition->'nodes') as node)`;

/**
 * The data that recipes of one revision share, built once however many are read: built for each recipe, it took more
 * than half of the time of reading recipes that are started together.
 */
const OF_REVISION = `select rev.id, ${object(TYPE_DETAILS)} as recipe_type,
    ${object({
      ...REVISION,
      recipe_type: object(TYPE_DETAILS),
      definition: 'rev.definition',
      created: iso('rev.created'),
    })} as recipe_type_rev,
    ${DEPENDENCIES} as dependencies, ${JOB_TYPES} as job_types, ${SUB_RECIPE_TYPES} as sub_recipe_types
  from recipe_type_rev rev join recipe_type rt on rt.id = rev.recipe_type_id
  where rev.id = any(array(select recipe_type_rev_id from recipe where id = any($1::bigint[])))`;

const DETAILS = object({
  id: 'r.id',
  ...columns('of_rev', ['recipe_type', 'recipe_type_rev']),
  ...BODY,
  superseded_by_recipe: `case when r.is_superseded then (select ${object({ id: 'next.id' })}
    from recipe next where next.superseded_recipe_id = r.id order by next.id desc limit 1) end`,
  input: INPUT,
  configuration: 'r.configuration',
  ...MEASURES,
  details: object({ nodes: NODES, ...columns('of_rev', ['job_types', 'sub_recipe_types']) }),
  ...columns('of_rev', ['job_types', 'sub_recipe_types']),
});

export const FIND_RECIPES = {
  name: 'find_recipes',
  isKeyed: true,
  text: `with of_rev as materialized (${OF_REVISION})
    select r.id, ${DETAILS} as record from recipe r ${RELATED}
    join of_rev on of_rev.id = r.recipe_type_rev_id
    where r.id = any($1::bigint[])   -- = recipe_pkey`,
};

/** Details of the recipes that exist, by id. */
export function findRecipes<R extends object>(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, R>> {
  return recordsById(sql, FIND_RECIPES, ids);
}

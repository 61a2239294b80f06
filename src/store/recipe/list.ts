/** Lists of recipes, and details with the nodes and their states. */
import type { JobStatus } from '../../domain/job/job.ts';
import type { RecipeFilter, SourceFilter } from '../../domain/listing/filters.ts';
import { COUNTED_BATCH_RECIPES, COUNTED_RECIPES } from '../metrics/list-counts.ts';
import type { Conditions } from '../sql/conditions.ts';
import { countedBySpans } from '../sql/counted.ts';
import {
  AliasedRows,
  expression,
  idOrNull,
  listIn,
  nestedOrder,
  object,
  orNull,
  row,
  type ValueOf,
} from '../sql/fields.ts';
import { listOf, recordsById } from '../sql/listing.ts';
import {
  batchById,
  batchOrder,
  eventOrder,
  eventRecord,
  recipeOrder,
  recipeSummary,
  recipeTypeOrder,
  recipeTypeSummary,
  sourceFields,
  sourceOrder,
} from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { isHalted, recipeState } from './node-state.ts';

const COUNTS = [
  ...(['jobs_total', 'jobs_pending', 'jobs_blocked', 'jobs_queued', 'jobs_running', 'jobs_failed'] as const),
  ...(['jobs_completed', 'jobs_canceled', 'sub_recipes_total', 'sub_recipes_completed'] as const),
] as const;
const INSTANTS = ['created', 'completed', 'superseded', 'last_modified'] as const;

const PARENT_JOIN = `left join (recipe parent join recipe_type parent_rt on parent_rt.id = parent.recipe_type_id)
    on parent.id = r.parent_id`;
const RELATED = `join event e on e.id = r.event_id
  ${PARENT_JOIN}`;
const JOINS = `join recipe_type rt on rt.id = r.recipe_type_id
  join recipe_type_rev rev on rev.id = r.recipe_type_rev_id
  ${RELATED}`;

const r = row('recipe', 'r');
const rt = row('recipe_type', 'rt');
const rev = row('recipe_type_rev', 'rev');

const BODY = {
  event: eventRecord('e'),
  recipe: orNull('parent.id', recipeSummary('parent', 'parent_rt')),
  batch: batchById('r.batch_id'),
  ...r.columns('is_superseded'),
  superseded_recipe: idOrNull(r.column('superseded_recipe_id')),
};
const MEASURES = {
  ...r.columns('input_file_size'),
  ...sourceFields('r'),
  ...r.columns(...COUNTS, 'is_completed'),
  state: recipeState('r'),
  is_halted: isHalted('r'),
  ...r.instants(...INSTANTS),
};
const REVISION = {
  ...rev.columns('id'),
  recipe_type: object({ id: rev.column('recipe_type_id') }),
  ...rev.columns('revision_num'),
};

const RECIPE_TYPE_JOIN = 'join recipe_type rt on rt.id = r.recipe_type_id';
const RECIPES = {
  rows: r,
  counted: [COUNTED_RECIPES, COUNTED_BATCH_RECIPES],
  countedBySpans: countedBySpans('recipe', 'r', ['source_started', 'source_ended']),
  joins: JOINS,
  fields: {
    ...r.columns('id', 'object_version'),
    recipe_type: recipeTypeSummary('rt'),
    recipe_type_rev: object(REVISION),
    ...BODY,
    ...MEASURES,
  },
  order: {
    ...r.order('id', 'is_superseded', 'is_completed', 'input_file_size', ...COUNTS, ...INSTANTS),
    state: { by: recipeState('r') },
    is_halted: { by: isHalted('r') },
    ...sourceOrder('r'),
    recipe_type: { by: 'lower(rt.name)', join: RECIPE_TYPE_JOIN },
    ...nestedOrder('recipe_type', 'r.recipe_type_id', RECIPE_TYPE_JOIN, recipeTypeOrder('rt')),
    recipe_type_rev__id: { by: 'r.recipe_type_rev_id' },
    recipe_type_rev__recipe_type__id: { by: 'r.recipe_type_id' },
    recipe_type_rev__revision_num: {
      by: 'rev.revision_num',
      join: 'join recipe_type_rev rev on rev.id = r.recipe_type_rev_id',
    },
    ...eventOrder('r.event_id'),
    ...recipeOrder('r.parent_id', 'parent', 'parent_rt', PARENT_JOIN),
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

/** None of the states is that of completed recipes, which are most of all. */
function addStates(conditions: Conditions, states: readonly string[]): void {
  if (states.length === 0) return;
  conditions.add(`not r.is_completed`);
  conditions.anyOf(recipeState('r'), 'text', states); // = recipe_state_idx
}

export const listRecipes = listOf(RECIPES, (where, filter: RecipeFilter) => {
  addSourceFilter(where, 'r', filter);
  where.anyOf('r.id', 'bigint', filter.recipe_id);
  where.anyOf('r.recipe_type_id', 'bigint', filter.recipe_type_id);
  where.anyWith('r.recipe_type_id', 'recipe_type', 'name', filter.recipe_type_name);
  where.anyOf('r.batch_id', 'bigint', filter.batch_id);
  addBelow(where, filter.root_recipe_id);
  where.flag('r.is_superseded', filter.is_superseded);
  where.flag('r.is_completed', filter.is_completed);
  addStates(where, filter.state);
});

/** The existing nodes in their present state; nodes after an unprocessed or refused condition are absent. */
const JOB_NODE = object({
  node_type: expression<'job'>(`'job'`),
  job_type_name: expression<string>('jt.name'),
  job_type_version: expression<string>('jt.version'),
  job_type_revision: expression<number>('jt_rev.revision_num'),
  job_id: expression<number>('j.id'),
  status: row('job', 'j').oneOf<JobStatus>('status'),
});
const RECIPE_NODE = object({
  node_type: expression<'recipe'>(`'recipe'`),
  recipe_type_name: expression<string>('sub_rt.name'),
  recipe_type_revision: expression<number>('sub_rev.revision_num'),
  recipe_id: expression<number>('sub.id'),
  ...row('recipe', 'sub').columns('is_completed', ...COUNTS),
});
const CONDITION_NODE = object({
  node_type: expression<'condition'>(`'condition'`),
  condition_id: expression<number>('c.id'),
  ...row('recipe_condition', 'c').columns('object_version', 'is_processed', 'is_accepted', 'reason'),
});
const NODE_TYPE = expression<
  ValueOf<typeof JOB_NODE> | ValueOf<typeof RECIPE_NODE> | ValueOf<typeof CONDITION_NODE>
>(`case when n.job_id is not null then ${JOB_NODE}
  when n.sub_recipe_id is not null then ${RECIPE_NODE} else ${CONDITION_NODE} end`);

const NODE = object({
  dependencies: expression<{ name: string }[]>(`coalesce(of_rev.dependencies->n.name, '[]')`),
  node_type: NODE_TYPE,
});
const NODES = expression<Record<string, ValueOf<typeof NODE>>>(
  `(select coalesce(json_object_agg(n.name, ${NODE} order by n.name), '{}')
  from recipe_node n
  left join (job j join job_type jt on jt.id = j.job_type_id
    join job_type_rev jt_rev on jt_rev.id = j.job_type_rev_id) on j.id = n.job_id
  left join (recipe sub join recipe_type sub_rt on sub_rt.id = sub.recipe_type_id
    join recipe_type_rev sub_rev on sub_rev.id = sub.recipe_type_rev_id) on sub.id = n.sub_recipe_id
  left join recipe_condition c on c.id = n.condition_id
  where n.recipe_id = r.id)`,
);

/** Types of the nodes of the recipe's own revision. */
const JOB_TYPES = listIn(
  object(row('job_type', 'jt').columns('id', 'name', 'version', 'title', 'description', 'icon_code')),
  `job_type jt where (jt.name, jt.version) in (
    select node.value->'node_type'->>'job_type_name', node.value->'node_type'->>'job_type_version'
    from jsonb_each(rev.definition->'nodes') as node)`,
  'jt.id',
);

const SUB_RECIPE_TYPES = listIn(
  recipeTypeSummary('s'),
  `recipe_type s where s.name in (
    select node.value->'node_type'->>'recipe_type_name' from jsonb_each(rev.definition->'nodes') as node)`,
  's.id',
);

const INPUT = object({
  files: expression<Record<string, number[]>>(`coalesce(r.input->'files', '{}')`),
  json: expression<Record<string, unknown>>(`coalesce(r.input->'json', '{}')`),
});

const TYPE_DETAILS = object({
  ...rt.columns('id', 'name', 'title', 'description', 'is_active', 'is_system', 'revision_num'),
  ...rt.instants('created', 'deprecated', 'last_modified'),
});
const REVISION_DETAILS = object({
  ...REVISION,
  recipe_type: TYPE_DETAILS,
  definition: rev.document('definition'),
  ...rev.instants('created'),
});

const DEPENDENCIES = `(select jsonb_object_agg(node.key, (
    select coalesce(jsonb_agg(jsonb_build_object('name', dependency->>'name')), '[]')
    from jsonb_array_elements(node.value->'dependencies') as dependency))
  from jsonb_each(rev.definition->'nodes') as node)`;

/**
 * The data that recipes of one revision share, built once however many are read: built for each recipe, it took more
 * than half of the time of reading recipes that are started together.
 */
const OF_REVISION = `select rev.id, ${TYPE_DETAILS} as recipe_type, ${REVISION_DETAILS} as recipe_type_rev,
    ${DEPENDENCIES} as dependencies, ${JOB_TYPES} as job_types, ${SUB_RECIPE_TYPES} as sub_recipe_types
  from recipe_type_rev rev join recipe_type rt on rt.id = rev.recipe_type_id`;

interface OfRevision {
  readonly recipe_type: ValueOf<typeof TYPE_DETAILS>;
  readonly recipe_type_rev: ValueOf<typeof REVISION_DETAILS>;
  readonly job_types: ValueOf<typeof JOB_TYPES>;
  readonly sub_recipe_types: ValueOf<typeof SUB_RECIPE_TYPES>;
}

const REVISION_OF_RECIPES = object({
  recipe_type: TYPE_DETAILS,
  recipe_type_rev: REVISION_DETAILS,
  job_types: JOB_TYPES,
  sub_recipe_types: SUB_RECIPE_TYPES,
});

export const FIND_RECIPE_REVISIONS = {
  name: 'find_recipe_revisions',
  isKeyed: true,
  record: REVISION_OF_RECIPES,
  text: `select rev.id, ${REVISION_OF_RECIPES} as record
    from recipe_type_rev rev join recipe_type rt on rt.id = rev.recipe_type_id
    where rev.id = any($1::bigint[])   -- = recipe_type_rev_pkey`,
};

/** What the details of all recipes of a revision share, by its id. */
export function findRecipeRevisions(sql: Sql, revisionIds: readonly number[]) {
  return recordsById(sql, FIND_RECIPE_REVISIONS, revisionIds);
}

const shared = new AliasedRows<OfRevision>('of_rev', 'of_rev');
const TYPES = shared.columns('job_types', 'sub_recipe_types');

const SUPERSEDED_BY = expression<{ id: number } | null>(`case when r.is_superseded then (
    select ${object({ id: expression<number>('next.id') })}
    from recipe next where next.superseded_recipe_id = r.id order by next.id desc limit 1) end`);

const DETAILS = object({
  ...r.columns('id', 'object_version'),
  ...shared.columns('recipe_type', 'recipe_type_rev'),
  ...BODY,
  superseded_by_recipe: SUPERSEDED_BY,
  input: INPUT,
  configuration: r.document('configuration'),
  ...MEASURES,
  details: object({ nodes: NODES, ...TYPES }),
  ...TYPES,
});

export const FIND_RECIPES = {
  name: 'find_recipes',
  isKeyed: true,
  record: DETAILS,
  text: `with of_rev as materialized (${OF_REVISION}
      where rev.id = any(array(select recipe_type_rev_id from recipe where id = any($1::bigint[]))))
    select r.id, ${DETAILS} as record from recipe r ${RELATED}
    join of_rev on of_rev.id = r.recipe_type_rev_id
    where r.id = any($1::bigint[])   -- = recipe_pkey`,
};

/** Details of the recipes that exist, by id. */
export function findRecipes(sql: Sql, ids: readonly number[]) {
  return recordsById(sql, FIND_RECIPES, ids);
}

/**
 * Recipes of a group: new ones with their counters, inputs and ends, and the counters of the recipes that contain them,
 * as one update in the order of ids.
 */
import type {
  ConditionOutcome,
  NewCondition,
  NewRecipe,
  NewRecipeNode,
  RecipeInputData,
} from '../../domain/recipe/recipe.ts';
import type { BatchCounts } from '../batch/counts.ts';
import type { PendingJobs } from '../job/pending-rows.ts';
import { addStarts } from '../metrics/daily-starts.ts';
import type { Group } from '../sql/group.ts';
import { pipelined } from '../sql/pipelined.ts';
import type { Column } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { type Readers, rowsOf } from '../sql/table-rows.ts';
import { UniformRows } from '../sql/uniform-rows.ts';
import { COUNTERS, type PendingRecipe, pendingRecipes } from './pending-rows.ts';
import { RecipeConditionEntity, RecipeEntity, RecipeInputFileEntity, RecipeNodeEntity } from './table.ts';

interface NewRow {
  readonly recipe: NewRecipe;
  readonly pending: PendingRecipe;
}

function inputOf<R>(read: (row: R) => RecipeInputData | null): Readers<typeof RecipeEntity, R> {
  return {
    input: (row) => read(row)?.input,
    inputFileSize: (row) => read(row)?.inputFileSizeMib,
    sourceStarted: (row) => read(row)?.source.startedMs,
    sourceEnded: (row) => read(row)?.source.endedMs,
    sourceSensorClass: (row) => read(row)?.source.sensorClass,
    sourceSensor: (row) => read(row)?.source.sensor,
    sourceCollection: (row) => read(row)?.source.collection,
    sourceTask: (row) => read(row)?.source.task,
  };
}

function notBefore(createdMs: number, ms: number | null): number | null {
  return ms === null ? null : Math.max(createdMs, ms);
}

function newInput({ recipe, pending }: NewRow): RecipeInputData | null {
  return pending.input ?? recipe.input;
}

const NEW_RECIPES = rowsOf(RecipeEntity).from<NewRow>(
  {
    id: ({ recipe }) => recipe.id,
    shard: ({ recipe }) => recipe.shard,
    rootId: ({ recipe }) => recipe.rootId,
    chainId: ({ recipe }) => recipe.chainId ?? recipe.rootId,
    batchMemberId: ({ recipe }) => recipe.batchMemberId,
    parentId: ({ recipe }) => recipe.parentId,
    parentNode: ({ recipe }) => recipe.parentNode,
    recipeTypeId: ({ recipe }) => recipe.recipeTypeId,
    recipeTypeRevId: ({ recipe }) => recipe.recipeTypeRevId,
    eventId: ({ recipe }) => recipe.eventId,
    batchId: ({ recipe }) => recipe.batchId,
    ingestId: ({ recipe }) => recipe.ingestId,
    supersededRecipeId: ({ recipe }) => recipe.supersededRecipeId,
    configuration: ({ recipe }) => recipe.configuration,
    created: ({ recipe }) => recipe.atMs,
    lastModified: ({ recipe, pending }) => Math.max(recipe.atMs, pending.atMs),
    isCompleted: ({ pending }) => pending.completedMs !== null,
    completed: ({ recipe, pending }) => notBefore(recipe.atMs, pending.completedMs),
    isSuperseded: ({ pending }) => pending.supersededMs !== null,
    superseded: ({ recipe, pending }) => notBefore(recipe.atMs, pending.supersededMs),
    ...inputOf(newInput),
  },
  COUNTERS.map((name) => [name, 'int', ({ pending }) => pending.counts.get(name) ?? 0]),
);

const INSERT_RECIPES = new UniformRows(
  'insert_recipes',
  NEW_RECIPES,
  ['id', 'shard', 'root_id', 'chain_id', 'event_id', 'ingest_id', 'input', 'input_file_size'],
  (table) => /* sql */ `
    with begun as (insert into recipe (${NEW_RECIPES.names}) select * from ${table}
      returning recipe_type_rev_id as type_id, created as started)
    ${addStarts('recipe', 'select type_id, started, 1 as count from begun')}`,
);

const PENDING_RECIPES = rowsOf(RecipeEntity).from<PendingRecipe>(
  {
    id: (row) => row.id,
    completed: (row) => row.completedMs,
    superseded: (row) => row.supersededMs,
    ...inputOf<PendingRecipe>((row) => row.input),
  },
  [
    ['at', 'ms', (row) => row.atMs],
    ...COUNTERS.map((name): Column<PendingRecipe> => [name, 'int', (row) => row.counts.get(name) ?? 0]),
  ],
);

/**
 * Rows are locked in the order of their ids as they are written: keyed statements join by nested loops only, which keep
 * the order of the pending rows. A select that locked them first visited each row twice and took a sixth of the
 * statement's time.
 */
const UPDATE_RECIPES_IF_OPEN = {
  name: 'update_recipes_if_open',
  text: /* sql */ `
    update recipe r set
      ${COUNTERS.map((name) => `${name} = r.${name} + d.${name}`).join(', ')},
      is_completed = r.is_completed or d.completed is not null,
      completed = case when d.completed is null then r.completed else greatest(d.completed, r.created) end,
      is_superseded = r.is_superseded or d.superseded is not null,
      superseded = case when d.superseded is null then r.superseded else greatest(d.superseded, r.created) end,
      input = coalesce(d.input, r.input), input_file_size = coalesce(d.input_file_size, r.input_file_size),
      source_started = coalesce(d.source_started, r.source_started),
      source_ended = coalesce(d.source_ended, r.source_ended),
      source_sensor_class = coalesce(d.source_sensor_class, r.source_sensor_class),
      source_sensor = coalesce(d.source_sensor, r.source_sensor),
      source_collection = coalesce(d.source_collection, r.source_collection),
      source_task = coalesce(d.source_task, r.source_task),
      last_modified = greatest(r.last_modified, d.at)
    from (select d.* from ${PENDING_RECIPES.table('d')} order by d.id) as d
    where r.id = d.id   -- = recipe_pkey
      and (d.completed is null or not r.is_completed) and (d.input is null or r.input is null)
      and (d.superseded is null or not r.is_superseded)
    returning r.id, case when r.parent_id is null then r.batch_id end as batch_id`,
};

interface InputLink {
  readonly recipeId: number;
  readonly input: string;
  readonly fileIds: readonly number[];
}

const LINKS = rowsOf(RecipeInputFileEntity).from<InputLink>(
  {
    recipeId: (row) => row.recipeId,
    input: (row) => row.input,
  },
  [['file_ids', 'ids', (row) => row.fileIds]],
);

const LINK_INPUTS = {
  name: 'link_recipe_inputs',
  text: /* sql */ `
    insert into recipe_input_file (recipe_id, input, file_id)
    select d.recipe_id, d.input, f.file_id from ${LINKS.table('d')} cross join lateral unnest(d.file_ids) as f (file_id)
    on conflict do nothing`,
};

/** The remaining changes of a group once its new recipes are inserted. */
export interface PendingRecipes {
  readonly updates: readonly PendingRecipe[];
  readonly links: readonly InputLink[];
}

/** Inserts new recipes with their counters: rows of jobs, conditions and nodes may refer to them from here on. */
export async function createRecipes(
  sql: Sql,
  group: Group,
  jobs: PendingJobs,
  batches: BatchCounts,
): Promise<PendingRecipes> {
  const pendingRows = pendingRecipes(group, jobs);
  const rows = group
    .items('createRecipes', (change) => change.recipes)
    .map((recipe): NewRow => ({ recipe, pending: pendingRows.take(recipe.id) }));
  await INSERT_RECIPES.execute(sql, rows);
  for (const { recipe, pending } of rows) {
    if (recipe.batchId === null || recipe.parentId !== null) continue;
    const step = { isNew: true, isCompleted: pending.completedMs !== null };
    batches.addRecipe(recipe.batchId, Math.max(recipe.atMs, pending.atMs), pending.counts, step);
  }
  const updates = pendingRows.rest;
  const links = [
    ...rows.flatMap((row) => linksOf(row.recipe.id, newInput(row))),
    ...updates.flatMap((pending) => linksOf(pending.id, pending.input)),
  ];
  return { updates, links };
}

function linksOf(recipeId: number, data: RecipeInputData | null): InputLink[] {
  return Object.entries(data?.input.files ?? {}).map(([input, fileIds]) => ({ recipeId, input, fileIds }));
}

/** Updates counters, inputs and ends of existing recipes. A failed guard refuses its turns. */
export async function updateRecipes(
  sql: Sql,
  group: Group,
  pending: PendingRecipes,
  batches: BatchCounts,
): Promise<void> {
  const { updates, links } = pending;
  if (links.length > 0) await sql.execute(LINK_INPUTS, LINKS.params(links));
  if (updates.length === 0) return;
  const rows = await sql.execute<{ id: number; batch_id: number | null }>(
    UPDATE_RECIPES_IF_OPEN,
    PENDING_RECIPES.params(updates),
  );
  const batchIds = new Map(rows.map((row) => [row.id, row.batch_id]));
  for (const { id, atMs, counts, completedMs } of updates) {
    const batchId = batchIds.get(id) ?? null;
    const step = { isNew: false, isCompleted: completedMs !== null };
    if (batchId !== null) batches.addRecipe(batchId, atMs, counts, step);
  }
  if (rows.length === updates.length) return;
  const written = new Set(rows.map((row) => row.id));
  for (const { id, guarded } of updates) {
    if (written.has(id)) continue;
    for (const turn of guarded)
      group.refuse(turn, `recipe ${id} is completed, superseded, has its input, or is not there`);
  }
  group.throwIfRefused();
}

interface NewConditionRow {
  readonly condition: NewCondition;
  /** Known if the same group decides it: the row is then written once. */
  readonly outcome: ConditionOutcome | undefined;
}

const CONDITIONS = rowsOf(RecipeConditionEntity).from<NewConditionRow>({
  id: ({ condition }) => condition.id,
  recipeId: ({ condition }) => condition.recipeId,
  nodeName: ({ condition }) => condition.nodeName,
  created: ({ condition }) => condition.atMs,
  isProcessed: ({ outcome }) => outcome !== undefined,
  isAccepted: ({ outcome }) => outcome?.isAccepted === true,
  data: ({ outcome }) => outcome?.data,
  reason: ({ outcome }) => outcome?.reason,
  processed: ({ outcome }) => outcome?.atMs,
});

const INSERT_CONDITIONS = new UniformRows(
  'insert_conditions',
  CONDITIONS,
  ['id', 'recipe_id', 'data'],
  (table) => /* sql */ `insert into recipe_condition (${CONDITIONS.names}) select * from ${table}`,
);

const NODES = rowsOf(RecipeNodeEntity).from<NewRecipeNode>({
  recipeId: (row) => row.recipeId,
  name: (row) => row.name,
  isOriginal: (row) => row.isOriginal,
  jobId: (row) => row.jobId,
  subRecipeId: (row) => row.subRecipeId,
  conditionId: (row) => row.conditionId,
});

const INSERT_NODES = {
  name: 'insert_recipe_nodes',
  text: /* sql */ `insert into recipe_node (${NODES.names}) select * from ${NODES.table('d')}`,
};

const OUTCOMES = rowsOf(RecipeConditionEntity).from<ConditionOutcome>({
  id: (row) => row.conditionId,
  isAccepted: (row) => row.isAccepted,
  data: (row) => row.data,
  reason: (row) => row.reason,
  processed: (row) => row.atMs,
});

const PROCESS_CONDITIONS_IF_OPEN = {
  name: 'process_conditions_if_open',
  text: /* sql */ `
    update recipe_condition c set is_processed = true, is_accepted = d.is_accepted, data = d.data,
      reason = d.reason, processed = d.processed
    from ${OUTCOMES.table('d')}
    where c.id = d.id and c.is_processed is not true   -- = recipe_condition_pkey
    returning c.id`,
};

/**
 * Writes conditions, their results, and the nodes of recipes. The jobs and recipes that they refer to are already
 * written.
 */
export async function writeNodes(sql: Sql, group: Group): Promise<void> {
  const outcomes = outcomesOf(group);
  const conditions = group
    .items('createConditions', (change) => change.conditions)
    .map((condition): NewConditionRow => ({ condition, outcome: outcomes.get(condition.id) }));
  const nodes = group.items('createRecipeNodes', (change) => change.nodes);
  for (const { condition } of conditions) outcomes.delete(condition.id);
  await pipelined(group, [
    () => INSERT_CONDITIONS.execute(sql, conditions),
    async () => nodes.length > 0 && sql.execute(INSERT_NODES, NODES.params(nodes)),
    () => processConditions(sql, group, outcomes),
  ]);
}

/** By condition. A second result of a condition refuses its turn. */
function outcomesOf(group: Group): Map<number, ConditionOutcome> {
  const outcomes = new Map<number, ConditionOutcome>();
  for (const { change, turn } of group.placed('processConditions')) {
    for (const outcome of change.outcomes) {
      if (outcomes.has(outcome.conditionId)) {
        group.refuse(turn, `processConditions: condition ${outcome.conditionId} is processed`);
      }
      outcomes.set(outcome.conditionId, outcome);
    }
  }
  return outcomes;
}

/** Updates existing conditions. A failed guard refuses its turns. */
async function processConditions(
  sql: Sql,
  group: Group,
  outcomes: ReadonlyMap<number, ConditionOutcome>,
): Promise<void> {
  if (outcomes.size === 0) return;
  const rows = await sql.execute<{ id: number }>(
    PROCESS_CONDITIONS_IF_OPEN,
    OUTCOMES.params([...outcomes.values()]),
  );
  const written = new Set(rows.map((row) => row.id));
  for (const { change, turn } of group.placed('processConditions')) {
    for (const { conditionId } of change.outcomes) {
      if (outcomes.has(conditionId) && !written.has(conditionId))
        group.refuse(turn, `processConditions: condition ${conditionId} is processed`);
    }
  }
  group.throwIfRefused();
}

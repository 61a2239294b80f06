/** What must hold of batches and of recipes that take the place of others, at rest. */
import { liveOf, type RecipeRow } from '../store/tables.ts';
import type { World } from '../world.ts';

type Fail = (law: string, what: string) => never;

export function openBatch(world: World): string | undefined {
  for (const { id, cursor, isCreationDone } of world.store.tables.batches.rows.values()) {
    if (!isCreationDone) return `batch ${id} has no recipes after ${cursor}`;
  }
  return undefined;
}

const isTop = (one: RecipeRow): boolean => one.parentId === null;

/** Each chain of recipes has one that is current, where its jobs live on. */
export function checkChains({ store: { tables } }: World, fail: Fail): void {
  const current = new Map<number, RecipeRow[]>();
  for (const recipe of tables.recipes.rows.values()) {
    const chain = recipe.chainId ?? recipe.rootId;
    if (!isTop(recipe)) continue;
    current.set(chain, [...(current.get(chain) ?? []), ...(recipe.isSuperseded ? [] : [recipe])]);
  }
  for (const [chain, recipes] of current) {
    if (recipes.length !== 1)
      fail('each chain has one current recipe', `chain ${chain} has ${recipes.length}`);
  }
  for (const { recipeId, jobId } of tables.recipeNodes.rows.values()) {
    const recipe = tables.recipes.at(recipeId);
    if (jobId === null || recipe.isSuperseded) continue;
    const [root] = current.get(recipe.chainId ?? recipe.rootId) ?? [];
    const live = liveOf(tables.jobs.at(jobId));
    if (live.recipeId !== recipeId || live.batchId !== root?.batchId)
      fail('a job lives on in the recipe that holds it', `job ${jobId}: ${JSON.stringify(live)}`);
  }
}

/** A batch has one recipe for each of its members, and no other. */
export function checkBatches(world: World, shrunken: ReadonlySet<number>, fail: Fail): void {
  const { tables } = world.store;
  for (const batch of tables.batches.rows.values()) {
    const recipes = tables.recipes.where((one) => one.batchId === batch.id && isTop(one));
    const { dataset } = batch.definition;
    if (batch.supersededBatchId === null) checkMembers(world, batch.id, dataset ?? 0, recipes, fail);
    else checkRepeat(world, batch.supersededBatchId, recipes, fail);
    checkCounters(world, batch.id, recipes, { areJobsGone: shrunken.has(batch.id) }, fail);
  }
}

function checkMembers(
  { store }: World,
  batchId: number,
  datasetId: number,
  recipes: readonly RecipeRow[],
  fail: Fail,
): void {
  const members = store.tables.members.withKey(datasetId);
  const fitting = members.filter(({ data }) => data.files.SRC !== undefined);
  const { skippedCount } = store.tables.batches.at(batchId);
  if (skippedCount !== members.length - fitting.length)
    fail('a batch has exactly its members', `batch ${batchId} skipped ${skippedCount}`);
  for (const { id, data } of fitting) {
    const made = recipes.filter((one) => one.batchMemberId === id);
    const isRight = made.length === 1 && made[0]?.input?.input.files.SRC?.[0] === data.files.SRC?.[0];
    if (!isRight) fail('a batch has exactly its members', `batch ${batchId}, member ${id}: ${made.length}`);
  }
  if (recipes.length !== fitting.length)
    fail('a batch has exactly its members', `batch ${batchId}: ${recipes.length} of ${fitting.length}`);
}

/** One for each chain of the previous batch. */
function checkRepeat({ store }: World, previousId: number, recipes: readonly RecipeRow[], fail: Fail): void {
  const chainOf = (one: RecipeRow) => one.chainId ?? one.rootId;
  const previous = store.tables.recipes.where((one) => one.batchId === previousId && isTop(one));
  const [wanted, made] = [previous, recipes].map((all) =>
    all
      .map(chainOf)
      .sort((a, b) => a - b)
      .join(),
  );
  if (wanted !== made)
    fail('a batch has exactly its members', `after batch ${previousId}: ${made}, not ${wanted}`);
}

/** What commits have added up is what a recount finds; metrics of nodes continue counting jobs that are purged. */
function checkCounters(
  { store: { tables } }: World,
  batchId: number,
  recipes: readonly RecipeRow[],
  { areJobsGone }: { readonly areJobsGone: boolean },
  fail: Fail,
): void {
  const counted = new Map(tables.batchCounts.withKey(batchId).map((one) => [one.node, one.sums]));
  const wanted = new Map<string, Record<string, number>>();
  const add = (node: string, name: string, by: number): void => {
    const sums = wanted.get(node) ?? {};
    wanted.set(node, { ...sums, [name]: (sums[name] ?? 0) + by });
  };
  add('', 'recipes_total', 0);
  for (const { counts, isCompleted } of recipes) {
    add('', 'recipes_total', 1 + (counts.subTotal ?? 0));
    add('', 'recipes_completed', (isCompleted ? 1 : 0) + (counts.subCompleted ?? 0));
    for (const [name, count] of Object.entries(counts)) {
      if (!name.startsWith('sub')) add('', `jobs_${name.toLowerCase()}`, count);
    }
  }
  for (const { batchIds, recipeNode, status } of tables.jobs.rows.values()) {
    for (const _ of batchIds.filter((id) => id === batchId)) {
      add(recipeNode ?? '', 'jobs_total', 1);
      add(recipeNode ?? '', `jobs_${status.toLowerCase()}`, 1);
    }
  }
  for (const [node, sums] of wanted) {
    if (areJobsGone && node !== '') continue;
    for (const name of new Set([...Object.keys(sums), ...Object.keys(counted.get(node) ?? {})])) {
      const isTime = name.startsWith('job_ms') || name.startsWith('seed_ms');
      const [is, should] = [counted.get(node)?.[name] ?? 0, sums[name] ?? 0];
      if (!isTime && is !== should)
        fail('counters equal a recount', `batch ${batchId}, node '${node}': ${name} is ${is}, not ${should}`);
    }
  }
}

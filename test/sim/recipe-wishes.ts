/**
 * What people wish of recipes: that one is reprocessed, that many are made of a dataset, that a batch is done again.
 */
import type { BatchDefinition } from '../../src/domain/batch/batch-documents.ts';
import { ALL_FORCED, type ForcedNodes, NOTHING_FORCED } from '../../src/domain/recipe/forced-nodes.ts';
import { NEXT_PLAN, RECIPE_PLAN } from './scenario.ts';
import { EPOCH_MS } from './sim-time.ts';
import type { BatchRow } from './store/tables.ts';
import type { World } from './world.ts';

const MEMBERS_MAX = 5;

export class RecipeWishes {
  readonly #world: World;
  readonly #acceptedBatches: Set<number>;

  constructor(world: World, acceptedBatches: Set<number>) {
    this.#world = world;
    this.#acceptedBatches = acceptedBatches;
  }

  act(): void {
    const draw = this.#world.random.next();
    if (draw < 0.4) this.#reprocess();
    else if (draw < 0.7 || !this.#repeatBatch()) this.#beginBatch();
  }

  #forced(): ForcedNodes {
    const { random } = this.#world;
    const some = { ...NOTHING_FORCED, nodes: [random.pick(['A', 'B', 'C', 'YES', 'S']) ?? 'A'] };
    return random.pick([ALL_FORCED, some, some, NOTHING_FORCED]) ?? ALL_FORCED;
  }

  #event() {
    const [id = 0] = this.#world.nextId();
    const occurredMs = EPOCH_MS + Math.floor(this.#world.time.nowMs);
    return { id, type: 'USER', occurredMs, description: {} } as const;
  }

  /** Mostly a current recipe; what is refused is the asker's own fault. */
  #reprocess(): void {
    const world = this.#world;
    const recipe = world.random.pick(world.store.tables.recipes.where((one) => one.parentId === null));
    if (recipe === undefined) return;
    const [recipeId = 0] = world.nextId();
    const event = this.#event();
    const plan = world.random.pick([RECIPE_PLAN, RECIPE_PLAN, NEXT_PLAN]) ?? RECIPE_PLAN;
    const message = {
      ...{ type: 'reprocess', oldRecipeId: recipe.id, recipeId, recipeTypeRevId: plan.recipeTypeRevId },
      ...{ forced: this.#forced(), eventId: event.id, event, batchId: null, batchMemberId: null },
      batchPriority: null,
    };
    world.ask('recipe', recipe.chainId ?? recipe.rootId, message).catch(() => undefined);
  }

  /** Of some sources, once in a while with a member that fits nothing. */
  #beginBatch(): void {
    const { random, store, nextId } = this.#bound();
    const sources = store.tables.files.where((one) => one.fileType === 'SOURCE' && !one.isDeleted);
    const chosen = new Set<number>();
    for (let at = random.int(1, MEMBERS_MAX); at > 0; at--) {
      const file = random.pick(sources);
      if (file !== undefined) chosen.add(file.id);
    }
    const [datasetId = 0] = nextId();
    const inputs = [...chosen].map((id) => ({ SRC: [id] }) as Record<string, number[]>);
    if (random.chance(0.2)) inputs.push({});
    for (const files of inputs) {
      const [id = 0] = nextId();
      store.tables.members.put({ id, datasetId, data: { files, json: {} } });
    }
    store.tables.commit();
    this.#begin({ dataset: datasetId, supersedes: random.chance(0.6) }, undefined, inputs.length);
  }

  /** The chain of a batch that has its recipes goes on; false when there is none. */
  #repeatBatch(): boolean {
    const { random, store } = this.#bound();
    const previous = random.pick(
      store.tables.batches.where((one) => one.isCreationDone && !one.isSuperseded),
    );
    if (previous === undefined) return false;
    const forced = this.#forced();
    const definition = { previous_batch: { root_batch_id: previous.rootBatchId, forced_nodes: forced } };
    this.#begin(definition, previous, previous.recipesEstimated);
    return true;
  }

  #begin(definition: BatchDefinition, previous: BatchRow | undefined, recipesEstimated: number): void {
    const world = this.#world;
    const [id = 0] = world.nextId();
    const event = this.#event();
    const batch = {
      ...{ id, shard: world.shardOf('batch', id), title: null, description: null, eventId: event.id },
      ...{ recipeTypeId: RECIPE_PLAN.recipeTypeId, recipeTypeRevId: RECIPE_PLAN.recipeTypeRevId, definition },
      configuration: world.random.chance(0.5) ? { priority: 3 } : {},
      ...{ rootBatchId: previous?.rootBatchId ?? id, supersededBatchId: previous?.id ?? null },
      ...{ recipesEstimated, atMs: event.occurredMs },
    };
    world.ask('batch', id, { type: 'begin', event, batch }, true).then(
      () => this.#acceptedBatches.add(id),
      () => undefined,
    );
  }

  #bound() {
    const { random, store } = this.#world;
    return { random, store, nextId: (n?: number) => this.#world.nextId(n) };
  }
}

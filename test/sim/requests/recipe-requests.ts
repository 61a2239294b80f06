/**
 * What people request of recipes: that one is reprocessed, that many are made of a dataset, that a batch is done again.
 */
import type { BatchDefinition } from '../../../src/domain/batch/batch-documents.ts';
import { jobInputOf } from '../../../src/domain/job/queueing.ts';
import { ALL_FORCED, type ForcedNodes, NOTHING_FORCED } from '../../../src/domain/recipe/forced-nodes.ts';
import type { NewRecipe } from '../../../src/domain/recipe/recipe.ts';
import { muffleReprocessing, muffleSome } from '../hearing.ts';
import { GATED_REVISION, NEXT_REVISION, RECIPE_REVISION } from '../scenario.ts';
import { fileInfoOf } from '../store/load/loads.ts';
import type { BatchRow, RecipeRow } from '../store/tables.ts';
import type { World } from '../world.ts';

const MEMBERS_MAX = 5;

/** Recipes whose creation was answered. */
interface Accepted {
  readonly acceptedBatches: Set<number>;
  readonly acceptedRecipes: Set<number>;
}

function chainOf({ chainId, rootId }: RecipeRow): number {
  return chainId ?? rootId;
}

export class DrawnRecipeRequests {
  readonly #world: World;
  readonly #accepted: Accepted;

  constructor(world: World, accepted: Accepted) {
    this.#world = world;
    this.#accepted = accepted;
  }

  act(): void {
    const draw = this.#world.random.next();
    if (draw < 0.3) this.reprocess();
    else if (draw < 0.5) this.#start();
    else if (draw < 0.75 || !this.#repeatBatch()) this.#beginBatch();
  }

  #forced(revision = RECIPE_REVISION): ForcedNodes {
    const { random } = this.#world;
    const nodes = revision === GATED_REVISION ? ['GATE', 'F'] : ['A', 'B', 'C', 'YES', 'S'];
    const some = { ...NOTHING_FORCED, nodes: [random.pick(nodes) ?? 'A'] };
    return random.pick([ALL_FORCED, some, some, NOTHING_FORCED]) ?? ALL_FORCED;
  }

  #event() {
    const [id = 0] = this.#world.nextId();
    const occurredMs = Math.floor(this.#world.serverClock.nowMs());
    return { id, type: 'USER', occurredMs, description: {} } as const;
  }

  /** Mostly a current recipe; what is refused is the asker's own fault. */
  reprocess(ofChain?: number): void {
    const world = this.#world;
    const isMeant = (one: RecipeRow) => one.parentId === null && (ofChain ?? chainOf(one)) === chainOf(one);
    const recipe = world.random.pick(world.store.tables.recipes.where(isMeant));
    if (recipe === undefined) return;
    const [recipeId = 0] = world.nextId();
    const event = this.#event();
    const isGated = recipe.recipeTypeId === GATED_REVISION.recipeTypeId;
    const revisions = isGated ? [GATED_REVISION] : [RECIPE_REVISION, RECIPE_REVISION, NEXT_REVISION];
    const revision = world.random.pick(revisions) ?? RECIPE_REVISION;
    const message = {
      ...{ type: 'reprocess', oldRecipeId: recipe.id, recipeId, recipeTypeRevId: revision.recipeTypeRevId },
      ...{ forced: this.#forced(revision), eventId: event.id, event, batchId: null, batchMemberId: null },
      batchPriority: null,
    };
    world.ask('recipe', chainOf(recipe), message).catch(() => undefined);
  }

  /** One by itself, as src/api/recipes/service.ts starts it. */
  #start(): void {
    const world = this.#world;
    const { files } = world.store.tables;
    const file = world.random.pick(files.where((one) => one.fileType === 'SOURCE' && !one.isDeleted));
    if (file === undefined) return;
    const [id = 0] = world.nextId();
    const event = this.#event();
    const { recipeTypeId, recipeTypeRevId } =
      world.random.pick([RECIPE_REVISION, GATED_REVISION]) ?? RECIPE_REVISION;
    const input = { files: { SRC: [file.id] }, json: {} };
    const recipe: NewRecipe = {
      ...{ id, shard: world.shardOf('recipe', id), rootId: id, parentId: null, parentNode: null },
      ...{ ancestorIds: [], recipeTypeId, recipeTypeRevId, eventId: event.id, batchId: null, ingestId: null },
      ...{ supersededRecipeId: null, configuration: null, atMs: event.occurredMs },
      input: jobInputOf(input, new Map([[file.id, fileInfoOf(file)]])),
    };
    world.ask('recipe', id, { type: 'start', event, recipe }, true).then(
      () => this.#accepted.acceptedRecipes.add(id),
      () => undefined,
    );
  }

  /** Begins a batch of some sources, once in a while with a member that fits nothing. */
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

  /** The chain of a batch that has its recipes continues; false when there is none. */
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
      ...{ id, shard: world.shardOf('batch', id), title: '', description: '', eventId: event.id },
      ...{
        recipeTypeId: RECIPE_REVISION.recipeTypeId,
        recipeTypeRevId: RECIPE_REVISION.recipeTypeRevId,
        definition,
      },
      configuration: world.random.chance(0.5) ? { priority: 3 } : {},
      ...{ rootBatchId: previous?.rootBatchId ?? id, supersededBatchId: previous?.id ?? null },
      ...{ recipesEstimated, atMs: event.occurredMs },
    };
    muffleSome(world, 'recipe');
    if (previous !== undefined) muffleReprocessing(world);
    world.ask('batch', id, { type: 'begin', event, batch }, true).then(
      () => this.#accepted.acceptedBatches.add(id),
      () => undefined,
    );
  }

  #bound() {
    const { random, store } = this.#world;
    return { random, store, nextId: (n?: number) => this.#world.nextId(n) };
  }
}

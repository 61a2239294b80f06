/**
 * Changes of what stands for long, drawn right and wrong like the others: trees with nodes and conditions, chains that
 * were reprocessed, batches, products, runs of scans, settings.
 */

import type { Change } from '../../src/domain/changes.ts';
import type { NewProduct } from '../../src/domain/file/file.ts';
import { SCAN_CONFIGURATION } from '../store/store-world.ts';
import { ChangeDraws, SOURCE } from './store.ts';

type Five = [number, number, number, number, number];

const ABOUT_NOTHING = {
  ...{ footprint: null, dataStartedMs: null, dataEndedMs: null, sourceStartedMs: null, sourceEndedMs: null },
  ...{ sourceSensorClass: null, sourceSensor: null, sourceCollection: null, sourceTask: null },
} as const;

export class StateDraws extends ChangeDraws {
  readonly conditions: number[] = [];
  readonly batches: number[] = [];
  /** Files of earlier groups: what something is made of was saved before it began. */
  #earlier: readonly number[] = [];
  readonly #recipeOf = new Map<number, number>();

  override group(): Change[][] {
    this.#earlier = [...this.files];
    return super.group();
  }

  protected override ways(): (() => Change[])[] {
    return [
      ...super.ways(),
      () => this.#file(),
      () => this.#product(),
      () => this.#lineage(),
      () => this.#lineage(),
      () => this.#node(),
      () => this.#condition(),
      () => this.#processed(),
      () => this.#supersede(),
      () => this.#share(),
      () => this.#beginBatch(),
      () => this.#batchStep(),
      () => this.#recipeOfBatch(),
      () => this.#scan(),
      () => this.#setting(),
    ];
  }

  #job(): number {
    return this.one(this.jobs.filter((id) => !this.ingestJobs.has(id)));
  }

  #flag(): boolean {
    return this.random.chance(0.5);
  }

  #file(): Change[] {
    const id = this.newId();
    this.files.push(id);
    return this.#sourceOf(id);
  }

  /** At a path of its own: what others are made of is there to stay. */
  #sourceOf(id: number): Change[] {
    const file = {
      ...{
        id,
        uuid: uuidOf(id),
        fileName: 'g',
        mediaType: 'text/plain',
        size: id,
        sha256: `${id}`,
        tags: [],
      },
      ...{ workspaceId: this.one(this.ground.workspaces), filePath: `g/${id}`, atMs: this.atMs },
    };
    return [{ type: 'createSourceFiles', files: [file] }];
  }

  #product(): Change[] {
    const { random, atMs } = this;
    const inputs = [random.pick(this.#earlier), random.pick([...this.#earlier, 99])].flatMap(
      (one) => one ?? [],
    );
    const jobId = this.#job();
    if (random.chance(0.2)) return [{ type: 'unpublishProducts', jobs: [{ jobId, atMs }] }];
    return [this.#productOf(jobId, this.one(this.executions), [...new Set(inputs)])];
  }

  /** Some come again under their uuid, or where something is. */
  #productOf(jobId: number, executionId: number, inputFileIds: readonly number[]): Change {
    const { random, atMs } = this;
    const id = this.newId();
    const uuid = uuidOf(random.chance(0.3) ? random.int(1, 5) : id);
    const product: NewProduct = {
      ...{ id, uuid, fileName: 'p', mediaType: 'text/plain', size: 6, sha256: `${id}` },
      workspaceUuid: uuidOf(random.pick([1, 2, 2, 2, 2, 7]) ?? 1),
      filePath: random.chance(0.1) ? 'p1' : `out/${id}`,
      ...{ jobId, executionId, jobOutput: 'OUT', jobTypeId: this.ground.jobType, recipeId: null },
      ...{
        recipeNode: null,
        recipeTypeId: null,
        batchId: null,
        inputFileIds,
        metadata: {},
        ...ABOUT_NOTHING,
      },
      atMs,
    };
    this.files.push(id);
    return { type: 'createProducts', products: [product] };
  }

  /** A source, a recipe of it or none, a job of both, an execution, a product: what a purge follows. */
  #lineage(): Change[] {
    const { recipeType: recipeTypeId, recipeTypeRev: recipeTypeRevId, jobType, jobTypeRev } = this.ground;
    const { atMs } = this;
    const [fileId, eventId, chain, id, executionId] = [0, 0, 0, 0, 0].map(() => this.newId()) as Five;
    const event = { id: eventId, type: 'USER', occurredMs: atMs, description: {} } as const;
    const isAlone = this.random.chance(0.3);
    const data = { input: { files: { IN: [fileId] }, json: {} }, inputFileSizeMib: 0, source: SOURCE };
    const recipe = {
      ...{ id: chain, shard: 1, rootId: chain, parentId: null, parentNode: null, ancestorIds: [], eventId },
      ...{ recipeTypeId, recipeTypeRevId, batchId: null, configuration: null, ingestId: null },
      ...{ supersededRecipeId: null, input: data, atMs },
    };
    const job = {
      ...{ id, shard: 1, jobTypeId: jobType, jobTypeRevId: jobTypeRev, eventId, batchId: null, maxTries: 3 },
      owner: isAlone ? ({ kind: 'job', key: id } as const) : ({ kind: 'recipe', key: chain } as const),
      ...{
        recipeId: isAlone ? null : chain,
        recipeNode: isAlone ? null : 'A',
        recipeIds: isAlone ? [] : [chain],
      },
      ...({ status: 'QUEUED', priority: 2, timeoutS: 60, configuration: null, input: data, atMs } as const),
      queueing: this.queueing(1),
    };
    const none = { subRecipeId: null, conditionId: null, isOriginal: true };
    const start = { executionId, jobId: id, exeNum: 1, nodeId: this.one(this.ground.nodes), atMs };
    this.files.push(fileId);
    this.jobs.push(id);
    this.executions.push(executionId);
    if (!isAlone) this.recipes.push(chain);
    return [
      { type: 'createEvents', events: [event] },
      ...this.#sourceOf(fileId),
      { type: 'ensureClasses', classes: [1, 2].map((cpus) => this.classOf(cpus)) },
      ...(isAlone ? [] : [{ type: 'createRecipes', recipes: [recipe] } as const]),
      { type: 'createJobs', jobs: [job] },
      ...(isAlone
        ? []
        : [
            {
              type: 'createRecipeNodes',
              nodes: [{ recipeId: chain, name: 'A', jobId: id, ...none }],
            } as const,
          ]),
      ...(this.random.chance(0.7) ? [{ type: 'startExecutions', starts: [start] } as const] : []),
      ...(this.random.chance(0.7) ? [this.#productOf(id, executionId, [fileId])] : []),
    ];
  }

  /** A node holds a job of any recipe, or a recipe or condition, mostly where these may be. */
  #node(): Change[] {
    const none = { jobId: null, subRecipeId: null, conditionId: null };
    const recipeId = this.one(this.recipes);
    const mates = this.recipes.filter((one) => this.#chain(one) === this.#chain(recipeId));
    const conditionId = this.one(this.conditions);
    const held = this.random.pick([
      { recipeId, ...none, jobId: this.#job() },
      { recipeId, ...none, jobId: this.#job() },
      { recipeId, ...none, subRecipeId: this.one(mates) },
      { recipeId: this.#recipeOf.get(conditionId) ?? recipeId, ...none, conditionId },
    ]) ?? { recipeId, ...none };
    const node = { name: `n${this.random.int(1, 4)}`, ...held, isOriginal: this.#flag() };
    return [{ type: 'createRecipeNodes', nodes: [node] }];
  }

  /** A condition of the recipe type's only node, or of one that it lacks. */
  #condition(): Change[] {
    const id = this.newId();
    const nodeName = this.random.pick(['A', 'B']) ?? 'A';
    this.conditions.push(id);
    const recipeId = this.one(this.recipes);
    this.#recipeOf.set(id, recipeId);
    return [{ type: 'createConditions', conditions: [{ id, recipeId, nodeName, atMs: this.atMs }] }];
  }

  #processed(): Change[] {
    const isAccepted = this.#flag();
    const outcome = {
      ...{ conditionId: this.one(this.conditions), isAccepted, data: { files: {}, json: { n: 1 } } },
      ...{ reason: isAccepted ? null : 'not this one', atMs: this.atMs },
    };
    return [{ type: 'processConditions', outcomes: [outcome] }];
  }

  /** A recipe is superseded, most times by one of its chain. */
  #supersede(): Change[] {
    const { recipeType, recipeTypeRev } = this.ground;
    const [id, eventId, atMs] = [this.newId(), this.newId(), this.atMs];
    const recipeId = this.one(this.recipes);
    const superseded: Change = { type: 'supersedeRecipes', recipes: [{ recipeId, atMs }] };
    if (this.random.chance(0.3)) return [superseded];
    const event = { id: eventId, type: 'USER', occurredMs: atMs, description: {} } as const;
    const recipe = {
      ...{
        id,
        shard: 1,
        rootId: id,
        chainId: this.#chainFor(id, recipeId),
        parentId: null,
        parentNode: null,
        ancestorIds: [],
        eventId,
      },
      ...{ recipeTypeId: recipeType, recipeTypeRevId: recipeTypeRev, batchId: null, configuration: null },
      ...{ ingestId: null, supersededRecipeId: recipeId, input: null, atMs },
    };
    this.recipes.push(id);
    return [
      { type: 'createEvents', events: [event] },
      superseded,
      { type: 'createRecipes', recipes: [recipe] },
    ];
  }

  /** The chain of what a recipe takes the place of, noted for those that come to it. */
  #chainFor(id: number, ofId: number): number {
    const chainId = this.#chain(ofId);
    this.chainOf.set(id, chainId);
    return chainId;
  }

  #chain(recipeId: number): number {
    const rootId = this.rootOf.get(recipeId) ?? recipeId;
    return this.chainOf.get(rootId) ?? rootId;
  }

  #share(): Change[] {
    const [jobId, atMs] = [this.one(this.jobs), this.atMs];
    const batchIds = this.#flag() ? [] : this.batches.slice(0, 1);
    const liveRecipeId = this.one(this.recipes);
    const live = { liveRecipeId, liveBatchId: batchIds[0] ?? null };
    const shared = { jobId, ...live, recipeIds: [liveRecipeId], batchIds, atMs };
    const steps: Change[] = [
      { type: 'shareJobs', jobs: [shared] },
      { type: 'supersedeJobs', jobs: [{ jobId, atMs }] },
    ];
    return [this.random.pick(steps) as Change];
  }

  #beginBatch(): Change[] {
    const { recipeType: recipeTypeId, recipeTypeRev: recipeTypeRevId } = this.ground;
    const [id, eventId, atMs] = [this.newId(), this.newId(), this.atMs];
    const before = this.#flag() ? this.random.pick(this.batches) : undefined;
    const event = { id: eventId, type: 'USER', occurredMs: atMs, description: {} } as const;
    const batch = {
      ...{ id, shard: 1, title: '', description: '', recipeTypeId, recipeTypeRevId, eventId },
      ...{ definition: {}, configuration: { priority: 3 } },
      ...{ rootBatchId: before ?? id, supersededBatchId: before ?? null, recipesEstimated: 2, atMs },
    };
    this.batches.push(id);
    const superseded = [{ batchId: before ?? 0, atMs }];
    return [
      { type: 'createEvents', events: [event] },
      ...(before === undefined ? [] : [{ type: 'supersedeBatches', batches: superseded } as const]),
      { type: 'createBatches', batches: [batch] },
    ];
  }

  #batchStep(): Change[] {
    const [batchId, atMs] = [this.one(this.batches), this.atMs];
    const [from, to] = [this.random.pick([0, 0, 0, 5]) ?? 0, this.random.pick([0, 5]) ?? 0];
    const steps: Change[] = [
      { type: 'advanceBatch', batchId, from, to, skipped: this.random.int(0, 1), isDone: this.#flag(), atMs },
      { type: 'advanceBatch', batchId, from, to, skipped: 0, isDone: true, atMs },
      { type: 'editBatch', batchId, patch: { title: 'T', configuration: { priority: 7 } }, atMs },
    ];
    return [this.random.pick(steps) as Change];
  }

  /** A member has one recipe. */
  #recipeOfBatch(): Change[] {
    const { recipeType: recipeTypeId, recipeTypeRev: recipeTypeRevId } = this.ground;
    const [id, eventId, atMs] = [this.newId(), this.newId(), this.atMs];
    const event = { id: eventId, type: 'USER', occurredMs: atMs, description: {} } as const;
    const batchId = this.random.pick(this.batches) ?? null;
    const recipe = {
      ...{ id, shard: 1, rootId: id, parentId: null, parentNode: null, ancestorIds: [], eventId },
      ...{
        recipeTypeId,
        recipeTypeRevId,
        batchId,
        batchMemberId: this.random.int(1, 3),
        configuration: null,
      },
      ...{ ingestId: null, supersededRecipeId: null, input: null, atMs },
    };
    this.recipes.push(id);
    return [
      { type: 'createEvents', events: [event] },
      { type: 'createRecipes', recipes: [batchId === null ? { ...recipe, batchMemberId: null } : recipe] },
    ];
  }

  #scan(): Change[] {
    const { scan: scanId } = this.ground;
    const counts = { mode: 'ingest', matched: 1, unmatched: 2, by_rule: [1] } as const;
    const patch = this.random.pick([
      { run: this.random.pick(['ingest', 'dry_run', null] as const) ?? null },
      { run: null, reason: 'gone' },
      { cursor: `k${this.atMs}`, counts, reason: null },
      { run: 'ingest', cursor: '', counts, previousCounts: { ...counts, ended: '2026-05-05' } } as const,
      { cancelThrough: this.#flag() ? this.one(this.ingests) : null },
      { title: 'T', configuration: { ...SCAN_CONFIGURATION, workspace: 'out' } },
      { waiting: this.random.pick([[], ['ingest'], ['dry_run', 'ingest']] as const) ?? [] },
    ]);
    return [{ type: 'editScan', scanId, patch: patch ?? {}, atMs: this.atMs }];
  }

  #setting(): Change[] {
    const patch = {
      ...(this.#flag() ? { isPaused: this.#flag() } : {}),
      ...(this.#flag() ? { queueMode: this.random.pick(['FIFO', 'LIFO'] as const) ?? 'FIFO' } : {}),
      ...(this.#flag() ? { messageHandlerCount: this.random.int(1, 4), loggingLevel: 'DEBUG' } : {}),
    };
    const ingests = [{ ingestId: this.one(this.ingests), bytesTransferred: 3 }];
    const types = [{ jobTypeId: this.ground.jobType, unmet: this.#flag() ? 'cpus' : null }];
    const changes: Change[] = [
      { type: 'saveScheduler', patch, atMs: this.atMs },
      { type: 'progressIngests', ingests },
      { type: 'saveUnmet', types },
    ];
    return [this.random.pick(changes) as Change];
  }
}

function uuidOf(id: number): string {
  return `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;
}

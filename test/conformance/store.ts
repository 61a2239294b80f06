/**
 * What every store does with groups of turns: the same random changes go to two of them, right ones and wrong ones,
 * and what both answer and load must be equal. Holds the simulation's store to the real one.
 */
import type { Change } from '../../src/domain/changes.ts';
import type { JobMove, JobOwner, JobStatus, NewJob } from '../../src/domain/job/job.ts';
import { schedulingClassOf } from '../../src/domain/scheduling/scheduling-class.ts';
import type { TypeLimit } from '../../src/domain/scheduling/snapshot.ts';
import type { PhaseTime } from '../../src/domain/task/task-result.ts';
import { Seeded } from '../sim/seeded.ts';

/** Rows that both stores have from the beginning. */
export interface Ground {
  readonly nodes: readonly number[];
  readonly workspaces: readonly number[];
  readonly jobType: number;
  readonly jobTypeRev: number;
  readonly recipeType: number;
  readonly recipeTypeRev: number;
  readonly strike: number;
  readonly scan: number;
  readonly nowMs: number;
}

export const SOURCE = {
  ...{ startedMs: null, endedMs: null, sensorClass: null, sensor: null, collection: null, task: null },
} as const;

/** Draws turns of changes; remembers what it asked for, not what came of it. */
export class ChangeDraws {
  readonly random: Seeded;
  readonly jobs: number[] = [];
  readonly executions: number[] = [];
  readonly recipes: number[] = [];
  /** The top of the tree that a recipe is in, and the first of a root's chain, where they are others. */
  protected readonly rootOf = new Map<number, number>();
  protected readonly chainOf = new Map<number, number>();
  /** Those of ingests: nothing is made by them, and no recipe has them. */
  protected readonly ingestJobs = new Set<number>();
  readonly ingests: number[] = [];
  readonly files: number[] = [];
  protected readonly ground: Ground;
  protected atMs: number;
  #id = 100_000;
  /** Draws of its own: what is changed is the same whatever the time. */
  readonly #clock: Seeded;
  readonly #limits: Seeded;
  /** How many jobs of the type may run, as last drawn. */
  #maxScheduled: number | null = null;

  constructor(seed: number, ground: Ground) {
    this.random = new Seeded(seed);
    this.#clock = new Seeded(seed);
    this.#limits = new Seeded(seed);
    this.ground = ground;
    this.atMs = ground.nowMs;
  }

  /** One or two turns of one or two kinds of changes. */
  group(): Change[][] {
    // Coordinators' clocks differ: what comes later may say that it was earlier.
    this.atMs += this.#clock.chance(0.2) ? -this.#clock.int(1, 100) : this.#clock.int(1, 50);
    return Array.from({ length: this.random.int(1, 2) }, () =>
      Array.from({ length: this.random.int(1, 2) }, () =>
        (this.random.pick(this.ways()) as () => Change[])(),
      ).flat(),
    );
  }

  /** A change of the job type that limits placements. It is saved by no turn. Undefined: none. */
  typeLimits(): Pick<TypeLimit, 'isPaused' | 'maxScheduled'> | undefined {
    if (!this.#limits.chance(0.3)) return undefined;
    this.#maxScheduled = this.#drawnMax();
    return { isPaused: this.#limits.chance(0.3), maxScheduled: this.#maxScheduled };
  }

  /** Places some of these jobs, which are queued: whether they start depends on their type and node. */
  placement(queued: readonly { readonly id: number; readonly exeNum: number }[]): Change[] {
    const draws = this.#limits;
    const starts = Array.from({ length: draws.int(1, 3) }, () => {
      const { id: jobId, exeNum } = draws.pick(queued) ?? { id: 99, exeNum: 1 };
      const place = { executionId: this.newId(), nodeId: draws.pick(this.ground.nodes) ?? 99 };
      return { ...place, jobId, exeNum, atMs: this.atMs, maxScheduled: this.#knownMax() };
    });
    return [{ type: 'placeJobs', starts }];
  }

  /** A turn that creates a job, and a scheduler's that places it on a hint: perhaps one that is not queued. */
  placedJob(): Change[][] {
    const created = this.#createJob();
    const exeNum = this.#limits.chance(0.9) ? 1 : 2;
    return [created, this.placement([{ id: this.jobs.at(-1) ?? 99, exeNum }])];
  }

  /** The type's limit as a scheduler knows it, sometimes wrongly. */
  #knownMax(): number | null {
    return this.#limits.chance(0.2) ? this.#drawnMax() : this.#maxScheduled;
  }

  #drawnMax(): number | null {
    return this.#limits.pick([null, 1, 2]) ?? null;
  }

  protected newId(): number {
    this.#id += 1;
    return this.#id;
  }

  protected one(from: readonly number[]): number {
    return this.random.pick(from) ?? 99;
  }

  /** Ways to draw, each as likely as the others. */
  protected ways(): (() => Change[])[] {
    return [
      () => this.#createJob(),
      () => this.#createJob(),
      () => this.#move(),
      () => this.#move(),
      () => this.#start(),
      () => this.#start(),
      () => this.#endExecution(),
      () => this.#createRecipe(),
      () => this.#recipeStep(),
      () => this.#arrive(),
      () => this.#ingestStep(),
      () => this.#file(),
      () => this.#node(),
    ];
  }

  protected queueing(exeNum: number) {
    const jobClass = this.classOf(this.random.int(1, 2));
    const priority = this.random.int(1, 3);
    return {
      exeNum,
      priority,
      maxTries: 3,
      classKey: jobClass.key,
      resources: jobClass.resources,
      atMs: this.atMs,
    };
  }

  /** Mostly of nothing, sometimes of a file, which may not be there. */
  #input(inputFileSizeMib: number, jobId = 0) {
    const isOfFile = this.random.chance(0.3) && !this.ingestJobs.has(jobId);
    const file = isOfFile ? this.random.pick([...this.files, 99]) : undefined;
    const files: Record<string, number[]> = file === undefined ? {} : { IN: [file] };
    return { input: { files, json: {} }, inputFileSizeMib, source: SOURCE };
  }

  #ownerOf(jobId: number, recipeId: number | null): JobOwner {
    if (recipeId === null) return { kind: 'job', key: jobId };
    const rootId = this.rootOf.get(recipeId) ?? recipeId;
    return { kind: 'recipe', key: this.chainOf.get(rootId) ?? rootId };
  }

  #createJob(): Change[] {
    const { jobType, jobTypeRev } = this.ground;
    const [id, eventId] = [this.newId(), this.newId()];
    const recipeId = this.random.chance(0.5) ? (this.random.pick(this.recipes) ?? null) : null;
    const status = this.random.pick(['PENDING', 'BLOCKED', 'QUEUED', 'QUEUED'] as const) ?? 'QUEUED';
    const isQueued = status === 'QUEUED';
    const job: NewJob = {
      ...{
        id,
        shard: 1,
        owner: this.#ownerOf(id, recipeId),
        jobTypeId: jobType,
        jobTypeRevId: jobTypeRev,
        eventId,
      },
      ...{
        recipeId,
        recipeNode: recipeId === null ? null : `n${id % 3}`,
        batchId: null,
        status,
        maxTries: 3,
      },
      recipeIds: recipeId === null ? [] : [recipeId],
      ...{ priority: 2, timeoutS: 60, configuration: null, queueing: isQueued ? this.queueing(1) : null },
      input: isQueued ? this.#input(0) : null,
      atMs: this.atMs,
    };
    this.jobs.push(id);
    const event = { id: eventId, type: 'USER', occurredMs: this.atMs, description: {} } as const;
    return [
      { type: 'createEvents', events: [event] },
      { type: 'ensureClasses', classes: [1, 2].map((cpus) => this.classOf(cpus)) },
      { type: 'createJobs', jobs: [job] },
    ];
  }

  protected classOf(cpus: number) {
    const { jobType: jobTypeId, workspaces } = this.ground;
    return schedulingClassOf({
      ...{ jobTypeId, resources: { cpus }, executor: 'docker', workspaceIds: workspaces.slice(0, 1) },
    });
  }

  #move(): Change[] {
    const jobId = this.one(this.jobs);
    const exeNum = this.random.int(0, 3);
    const atMs = this.atMs;
    const from: readonly JobStatus[] =
      this.random.pick<readonly JobStatus[]>([
        ['QUEUED', 'RUNNING'],
        ['PENDING', 'BLOCKED'],
        ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED'],
        ['FAILED', 'CANCELED'],
      ]) ?? [];
    const guard = { jobId, from, exeNum };
    const input = this.#input(1, jobId);
    const moves: JobMove[] = [
      { kind: 'queue', ...guard, queueing: this.queueing(exeNum + 1), input },
      { kind: 'end', ...guard, to: 'COMPLETED', error: null, output: { files: {}, json: { n: 1 } }, atMs },
      {
        kind: 'end',
        ...guard,
        to: 'FAILED',
        error: { name: 'unknown', isBuiltin: true },
        output: null,
        atMs,
      },
      { kind: 'status', ...guard, exeNum: this.random.chance(0.5) ? null : exeNum, to: 'CANCELED', atMs },
    ];
    return [{ type: 'moveJobs', moves: [this.random.pick(moves) as JobMove] }];
  }

  #start(): Change[] {
    const { atMs } = this;
    const start = { ...this.#startAtOnce(), jobId: this.one(this.jobs), exeNum: this.random.int(1, 3) };
    const starts = [{ ...start, atMs, maxScheduled: this.#knownMax() }] as const;
    return [this.random.chance(0.7) ? { type: 'placeJobs', starts } : { type: 'startExecutions', starts }];
  }

  #startAtOnce() {
    const executionId = this.newId();
    this.executions.push(executionId);
    return { executionId, nodeId: this.one(this.ground.nodes) };
  }

  #endExecution(): Change[] {
    const executionId = this.one(this.executions);
    const status = this.random.pick(['COMPLETED', 'FAILED', 'CANCELED'] as const) ?? 'FAILED';
    const phases = this.#phases();
    const end = { executionId, status, error: null, output: null, phases, atMs: this.atMs };
    return [{ type: 'endExecutions', ends: [end] }];
  }

  /** On an agent's clock, which is wrong and may have been stepped between any two instants. */
  #phases(): PhaseTime[] {
    const instant = () => this.atMs + this.#clock.int(-300, 100);
    return (['pre', 'main', 'post'] as const)
      .filter(() => this.#clock.chance(0.7))
      .map((phase) => {
        const endedMs = this.#clock.chance(0.8) ? instant() : null;
        return { phase, startedMs: instant(), endedMs, exitCode: 0, isTimedOut: false };
      });
  }

  #createRecipe(): Change[] {
    const { recipeType, recipeTypeRev } = this.ground;
    const [id, eventId] = [this.newId(), this.newId()];
    const parentId = this.random.chance(0.3) ? (this.random.pick(this.recipes) ?? null) : null;
    const input = this.#input(0);
    this.recipes.push(id);
    const rootId = parentId === null ? id : (this.rootOf.get(parentId) ?? parentId);
    const chainId = this.chainOf.get(rootId) ?? rootId;
    this.rootOf.set(id, rootId);
    const event = { id: eventId, type: 'USER', occurredMs: this.atMs, description: {} } as const;
    const recipe = {
      ...{ id, shard: 1, rootId, chainId, parentId, parentNode: parentId === null ? null : 'S', eventId },
      ...{ recipeTypeId: recipeType, recipeTypeRevId: recipeTypeRev, batchId: null, configuration: null },
      ingestId: this.random.chance(0.3) ? (this.random.pick(this.ingests) ?? null) : null,
      ...{ supersededRecipeId: null, ancestorIds: parentId === null ? [] : [parentId], atMs: this.atMs },
      input: parentId === null ? input : null,
    };
    return [
      { type: 'createEvents', events: [event] },
      { type: 'createRecipes', recipes: [recipe] },
    ];
  }

  #recipeStep(): Change[] {
    const recipeId = this.one(this.recipes);
    const input = this.#input(2);
    const steps: Change[] = [
      { type: 'completeRecipes', recipes: [{ recipeId, ancestorIds: [], atMs: this.atMs }] },
      { type: 'setRecipeInputs', inputs: [{ recipeId, ...input, atMs: this.atMs }] },
    ];
    return [this.random.pick(steps) as Change];
  }

  #arrive(): Change[] {
    const { strike, scan, workspaces, jobType: jobTypeId, jobTypeRev: jobTypeRevId } = this.ground;
    const isOfScan = this.random.chance(0.3);
    const filePath = `f${this.random.int(1, 6)}`;
    // A scan finds complete files only.
    const unfinished = isOfScan ? [] : (['TRANSFERRING', 'ERRORED'] as const);
    const status =
      this.random.pick(['TRANSFERRED', 'TRANSFERRED', 'DEFERRED', ...unfinished] as const) ?? 'DEFERRED';
    const isComplete = status === 'TRANSFERRED' || status === 'DEFERRED';
    const [ingestId, jobId, eventId] = [this.newId(), this.newId(), this.newId()];
    this.ingests.push(ingestId);
    this.jobs.push(jobId);
    this.ingestJobs.add(jobId);
    const seenIdentity = `i${this.random.int(1, 3)}`;
    const arrival = {
      ...{
        ingestId,
        jobId,
        eventId,
        workspaceId: this.one(workspaces.slice(0, 1)),
        filePath,
        fileName: filePath,
      },
      ...{
        mediaType: 'text/plain',
        status,
        size: 5,
        firstSeenMs: this.atMs,
        tags: [],
        newWorkspaceId: null,
      },
      ...{ seenIdentity, identity: isComplete ? seenIdentity : null },
      ...{ mtimeMs: isComplete ? 7 : null, newFilePath: null, reason: null, atMs: this.atMs },
      ...(status === 'TRANSFERRED' && this.random.chance(0.5) ? { start: this.#startAtOnce() } : {}),
    };
    const owner = isOfScan
      ? ({ kind: 'scan', key: scan } as const)
      : ({ kind: 'strike', key: strike } as const);
    const template = { shard: 1, jobTypeId, jobTypeRevId, priority: 1, maxTries: 3, timeoutS: 0 };
    return [{ type: 'recordArrivals', owner, template, arrivals: [arrival] }];
  }

  #ingestStep(): Change[] {
    const ingestId = this.one(this.ingests);
    const atMs = this.atMs;
    const status =
      this.random.pick(['INGESTED', 'DUPLICATE', 'ERRORED', 'TRANSFERRED'] as const) ?? 'ERRORED';
    const sourceFileId = status === 'INGESTED' ? (this.random.pick(this.files) ?? null) : null;
    const end = { ingestId, status, sourceFileId, error: null, reason: null, bytesTransferred: 5, atMs };
    const steps: Change[] = [
      { type: 'startIngests', ingests: [{ ingestId, atMs }] },
      { type: 'endIngests', ingests: [{ ...end, finalPath: this.random.chance(0.3) ? 'moved' : null }] },
      { type: 'requeueIngests', ingests: [{ ingestId, atMs }] },
    ];
    return [this.random.pick(steps) as Change];
  }

  #file(): Change[] {
    const id = this.newId();
    const uuid = `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;
    const replaced = this.random.chance(0.5) ? this.random.pick(this.files) : undefined;
    const file = {
      ...{ id, uuid, fileName: 'f', mediaType: 'text/plain', size: id, sha256: `${id}`, tags: ['a'] },
      workspaceId: this.one(this.ground.workspaces),
      ...{ filePath: `p${this.random.int(1, 4)}`, atMs: this.atMs },
    };
    this.files.push(id);
    const supersedes: Change[] =
      replaced === undefined
        ? []
        : [{ type: 'supersedeFiles', files: [{ fileId: replaced, atMs: this.atMs }] }];
    return [...supersedes, { type: 'createSourceFiles', files: [file] }];
  }

  #node(): Change[] {
    const nodeId = this.one(this.ground.nodes);
    const workspaceId = this.one(this.ground.workspaces);
    const atMs = this.atMs;
    const flag = () => this.random.chance(0.5);
    const reach = [{ workspaceId, isReachable: flag(), reason: null }];
    const mark = { place: 'http://s3/b', through: `k${atMs}`, dueMs: atMs };
    const changes: Change[] = [
      {
        type: 'saveNode',
        nodeId,
        patch: { isOnline: flag(), isPaused: flag(), resources: { cpus: 4 }, bootId: 'b' },
        atMs,
      },
      { type: 'saveNode', nodeId, patch: { agentId: 'a', isActive: flag(), executors: ['docker'] }, atMs },
      { type: 'saveReach', nodeId, reach, atMs },
      { type: 'claimWorkspaces', nodeId, workspaceIds: [workspaceId] },
      { type: 'releaseClaims', nodeId, workspaceIds: [workspaceId] },
      { type: 'editStrike', strikeId: this.ground.strike, patch: { isPaused: flag(), title: 'T' }, atMs },
      { type: 'markListing', strikeId: this.ground.strike, mark: flag() ? null : mark },
    ];
    return [this.random.pick(changes) as Change];
  }
}

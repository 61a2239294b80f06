/**
 * Rows of recipes and jobs in memory, with the guards of the real store: a hard guard that fails refuses the whole
 * turn. Also records events that must not happen twice.
 */
import type { Change } from '../../../src/domain/changes.ts';
import type { FileInfo, NewProduct } from '../../../src/domain/file/file.ts';
import type { JobInput, JobMove, JobState, JobStatus, NewJob } from '../../../src/domain/job/job.ts';
import { NEXT } from '../../../src/domain/job/job-machine.ts';
import type { StandaloneJob } from '../../../src/domain/job/standalone-job.ts';
import type {
  NewRecipe,
  RecipeInputData,
  RecipeNodeState,
  RecipeState,
  RecipeTree,
} from '../../../src/domain/recipe/recipe.ts';
import { currentRoot, linkRecipes } from '../../../src/domain/recipe/recipe-tree.ts';
import type { JobTypeRevision, RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import { TurnRefused } from '../../../src/kernel/mod.ts';
import { WORKSPACES } from '../worlds/type-revisions.ts';

interface JobRow {
  readonly new: NewJob;
  readonly status: JobStatus;
  readonly exeNum: number;
  readonly maxTries: number;
  readonly priority: number;
  readonly input: JobInput | null;
  readonly output: JobState['output'];
  readonly error: string | null;
  readonly recipeIds: readonly number[];
  readonly isSuperseded: boolean;
}
interface RecipeRow {
  readonly new: NewRecipe;
  readonly input: RecipeInputData | null;
  readonly isCompleted: boolean;
  readonly isSuperseded: boolean;
}
export interface ExecutionRow {
  readonly id: number;
  readonly jobId: number;
  readonly exeNum: number;
  readonly nodeId: number;
  readonly status: 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED';
}
type ConditionNode = Extract<RecipeNodeState, { readonly kind: 'condition' }>;

interface Tables {
  jobs: Map<number, JobRow>;
  recipes: Map<number, RecipeRow>;
  executions: Map<number, ExecutionRow>;
  conditions: Map<number, ConditionNode & { readonly reason: string | null }>;
  nodes: Map<string, { readonly recipeId: number; readonly name: string; readonly state: RecipeNodeState }>;
  files: Map<number, FileInfo>;
  products: NewProduct[];
  classes: Set<string>;
}

export class RecipeRows {
  tables: Tables = {
    jobs: new Map(),
    recipes: new Map(),
    executions: new Map(),
    conditions: new Map(),
    nodes: new Map(),
    files: new Map(),
    products: [],
    classes: new Set(),
  };
  readonly revisions = new Map<number, RecipeTypeRevision>();
  readonly jobRevisions = new Map<number, JobTypeRevision>();
  /** `job x exe_num` of everything that entered the queue, committed. */
  readonly queuings: string[] = [];
  /** Jobs whose products were unpublished. */
  readonly unpublished: number[] = [];
  #nextExecution = 1;

  /** Registers a revision and all revisions inside it. */
  know(revision: RecipeTypeRevision): void {
    this.revisions.set(revision.recipeTypeRevId, revision);
    for (const sub of revision.subRecipes.values()) this.know(sub);
  }

  /** One transaction. Throws TurnRefused and changes nothing when a hard guard fails. */
  apply(changes: readonly Change[]): readonly unknown[] {
    const { products, classes, ...maps } = this.tables;
    const before = this.tables;
    const queuings = this.queuings.length;
    this.tables = {
      jobs: new Map(maps.jobs),
      recipes: new Map(maps.recipes),
      executions: new Map(maps.executions),
      conditions: new Map(maps.conditions),
      nodes: new Map(maps.nodes),
      files: new Map(maps.files),
      products: [...products],
      classes: new Set(classes),
    };
    try {
      return changes.map((change) => this.#applyOne(change));
    } catch (error) {
      this.tables = before;
      this.queuings.length = queuings;
      throw error;
    }
  }

  #applyOne(change: Change): unknown {
    const { tables } = this;
    switch (change.type) {
      case 'createEvents':
        return null;
      case 'ensureClasses':
        for (const one of change.classes) tables.classes.add(one.key);
        return null;
      case 'createRecipes':
        for (const one of change.recipes) {
          refuseIf(tables.recipes.has(one.id), `recipe ${one.id} exists`);
          tables.recipes.set(one.id, {
            ...{ new: one, input: one.input, isCompleted: false, isSuperseded: false },
          });
        }
        return null;
      case 'supersedeRecipes':
        for (const { recipeId } of change.recipes) {
          const row = found(tables.recipes, recipeId);
          refuseIf(row.isSuperseded, `recipe ${recipeId} is superseded`);
          tables.recipes.set(recipeId, { ...row, isSuperseded: true });
        }
        return null;
      case 'supersedeJobs':
        for (const { jobId } of change.jobs) {
          tables.jobs.set(jobId, { ...found(tables.jobs, jobId), isSuperseded: true });
        }
        return null;
      case 'shareJobs':
        for (const { jobId, recipeIds } of change.jobs) {
          const row = found(tables.jobs, jobId);
          tables.jobs.set(jobId, { ...row, recipeIds: [...row.recipeIds, ...recipeIds] });
        }
        return null;
      case 'unpublishProducts':
        for (const { jobId } of change.jobs) this.unpublished.push(jobId);
        return null;
      case 'setRecipeInputs':
        for (const one of change.inputs) {
          const row = found(tables.recipes, one.recipeId);
          refuseIf(row.input !== null, `recipe ${one.recipeId} has its input`);
          tables.recipes.set(one.recipeId, { ...row, input: one });
        }
        return null;
      case 'createConditions':
        for (const one of change.conditions) {
          refuseIf(tables.conditions.has(one.id), `condition ${one.id} exists`);
          tables.conditions.set(one.id, {
            kind: 'condition',
            conditionId: one.id,
            isOriginal: true,
            isProcessed: false,
            isAccepted: false,
            data: null,
            reason: null,
          });
        }
        return null;
      case 'processConditions':
        for (const one of change.outcomes) {
          const row = found(tables.conditions, one.conditionId);
          refuseIf(row.isProcessed, `condition ${one.conditionId} is processed`);
          const { isAccepted, data, reason } = one;
          tables.conditions.set(one.conditionId, { ...row, isProcessed: true, isAccepted, data, reason });
        }
        return null;
      case 'createJobs':
        for (const one of change.jobs) this.#createJob(one);
        return null;
      case 'createRecipeNodes':
        for (const one of change.nodes) {
          const key = `${one.recipeId}/${one.name}`;
          refuseIf(tables.nodes.has(key), `node ${key} exists`);
          const { recipeId, name } = one;
          const state: RecipeNodeState =
            one.jobId !== null
              ? { kind: 'job', jobId: one.jobId, isOriginal: one.isOriginal }
              : one.subRecipeId !== null
                ? { kind: 'recipe', recipeId: one.subRecipeId, isOriginal: one.isOriginal }
                : { ...found(tables.conditions, one.conditionId ?? 0), isOriginal: one.isOriginal };
          tables.nodes.set(key, { recipeId, name, state });
        }
        return null;
      case 'moveJobs':
        refuseIf(
          new Set(change.moves.map((move) => move.jobId)).size < change.moves.length,
          'a job moves twice in one change',
        );
        for (const move of change.moves) this.#move(move);
        return null;
      case 'endExecutions':
        for (const one of change.ends) {
          const row = tables.executions.get(one.executionId);
          if (row?.status === 'RUNNING') tables.executions.set(row.id, { ...row, status: one.status });
        }
        return null;
      case 'createProducts':
        for (const one of change.products) this.#createProduct(one);
        return null;
      case 'completeRecipes':
        for (const one of change.recipes) {
          const row = found(tables.recipes, one.recipeId);
          refuseIf(row.isCompleted, `recipe ${one.recipeId} is complete`);
          tables.recipes.set(one.recipeId, { ...row, isCompleted: true });
        }
        return null;
      default:
        throw new Error(`recipes and jobs do not ${change.type}`);
    }
  }

  #createJob(one: NewJob): void {
    refuseIf(this.tables.jobs.has(one.id), `job ${one.id} exists`);
    refuseIf((one.status === 'QUEUED') !== (one.queueing !== null), `job ${one.id}: queueing`);
    this.tables.jobs.set(one.id, {
      new: one,
      status: one.status,
      exeNum: one.queueing?.exeNum ?? 0,
      maxTries: one.maxTries,
      priority: one.priority,
      input: one.input,
      output: null,
      error: null,
      recipeIds: one.recipeIds,
      isSuperseded: false,
    });
    if (one.queueing !== null) this.#noteQueued(one.id, one.queueing.exeNum, one.queueing.classKey);
  }

  #noteQueued(jobId: number, exeNum: number, classKey: string | null): void {
    this.queuings.push(`${jobId} x ${exeNum}`);
    if (classKey === null || !this.tables.classes.has(classKey)) throw new Error(`no class ${classKey}`);
  }

  #move(move: JobMove): void {
    const row = found(this.tables.jobs, move.jobId);
    refuseIf(!move.from.includes(row.status), `job ${move.jobId} is ${row.status}`);
    refuseIf(move.exeNum !== null && move.exeNum !== row.exeNum, `job ${move.jobId} is at ${row.exeNum}`);
    const to = move.kind === 'queue' ? 'QUEUED' : move.to;
    const allowed: readonly JobStatus[] = NEXT[row.status];
    // A job that was never queued waits again, and its new blocked state is part of the same move.
    const isMerged = row.status === 'CANCELED' && row.exeNum === 0;
    if (!allowed.includes(to) && !isMerged) throw new Error(`job ${move.jobId}: ${row.status} -> ${to}`);
    if (move.kind === 'queue') {
      const { exeNum, maxTries, priority, classKey } = move.queueing;
      const input = move.input ?? row.input;
      this.tables.jobs.set(move.jobId, {
        ...row,
        status: to,
        exeNum,
        maxTries,
        priority,
        input,
        error: null,
      });
      this.#noteQueued(move.jobId, exeNum, classKey);
    } else {
      const output = move.kind === 'end' ? move.output : null;
      const error = move.kind === 'end' ? (move.error?.name ?? null) : null;
      this.tables.jobs.set(move.jobId, { ...row, status: to, output, error });
    }
  }

  #createProduct(one: NewProduct): void {
    const { files, products } = this.tables;
    if (files.has(one.id)) throw new Error(`file ${one.id} exists`);
    products.push(one);
    const { id, uuid, fileName, mediaType, size, dataStartedMs, sourceStartedMs, sourceEndedMs } = one;
    const { sourceSensorClass, sourceSensor, sourceCollection, sourceTask } = one;
    files.set(id, {
      ...{ id, uuid, fileType: 'PRODUCT', fileName, mediaType, size, tags: [], isDeleted: false },
      ...{ dataStartedMs, sourceStartedMs, sourceEndedMs },
      ...{ sourceSensorClass, sourceSensor, sourceCollection, sourceTask },
      workspaceId: WORKSPACES.byUuid.get(one.workspaceUuid) ?? 9,
    });
  }

  /** Places a queued job on a node, as the scheduler does. */
  place(jobId: number, nodeId = 1): ExecutionRow {
    const row = found(this.tables.jobs, jobId);
    refuseIf(row.status !== 'QUEUED', `job ${jobId} is ${row.status}`);
    this.tables.jobs.set(jobId, { ...row, status: 'RUNNING' });
    const id = this.#nextExecution++;
    const execution: ExecutionRow = { id, jobId, exeNum: row.exeNum, nodeId, status: 'RUNNING' };
    this.tables.executions.set(id, execution);
    return execution;
  }

  jobIds(...statuses: readonly JobStatus[]): number[] {
    return [...this.tables.jobs].filter(([, row]) => statuses.includes(row.status)).map(([id]) => id);
  }

  running(): ExecutionRow[] {
    return [...this.tables.executions.values()].filter((row) => row.status === 'RUNNING');
  }

  status(recipeId: number, node: string): string {
    const found = this.tables.nodes.get(`${recipeId}/${node}`)?.state;
    if (found === undefined) return 'absent';
    if (found.kind === 'job') return this.tables.jobs.get(found.jobId)?.status ?? 'lost';
    if (found.kind === 'recipe')
      return this.tables.recipes.get(found.recipeId)?.isCompleted ? 'complete' : 'open';
    const row = this.tables.conditions.get(found.conditionId);
    return row?.isProcessed ? (row.isAccepted ? 'accepted' : 'refused') : 'unprocessed';
  }

  nodeOf(recipeId: number, node: string): RecipeNodeState | undefined {
    return this.tables.nodes.get(`${recipeId}/${node}`)?.state;
  }

  jobId(recipeId: number, node: string): number {
    const state = this.nodeOf(recipeId, node);
    if (state?.kind !== 'job') throw new Error(`node '${node}' is no job`);
    return state.jobId;
  }

  /** `chainId`: the root that its chain began with. */
  loadTree(chainId: number): RecipeTree | undefined {
    const { tables } = this;
    if (!tables.recipes.has(chainId)) return undefined;
    const recipes = new Map<number, RecipeState>();
    const jobs = new Map<number, JobState>();
    for (const row of tables.recipes.values()) {
      if ((row.new.chainId ?? row.new.rootId) === chainId) recipes.set(row.new.id, this.#recipeState(row));
    }
    for (const { recipeId, name, state } of tables.nodes.values()) {
      const fresh = state.kind === 'condition' ? found(tables.conditions, state.conditionId) : state;
      recipes.get(recipeId)?.nodes.set(name, { ...fresh });
    }
    for (const row of tables.jobs.values()) {
      if (row.new.recipeId !== null && recipes.has(row.new.recipeId)) jobs.set(row.new.id, jobState(row));
    }
    linkRecipes(recipes);
    const rootId = currentRoot(recipes)?.id ?? chainId;
    const files = new Map(tables.files);
    const whole = { recipes, jobs, revisions: new Map(), files, workspaces: WORKSPACES };
    return { chainId, rootId, shard: chainId % 64, ...whole };
  }

  #recipeState({ new: one, input, isCompleted, isSuperseded }: RecipeRow): RecipeState {
    return {
      id: one.id,
      parentId: one.parentId,
      parentNode: one.parentNode,
      recipeIds: [one.id, ...one.ancestorIds],
      revision: found(this.revisions, one.recipeTypeRevId),
      eventId: one.eventId,
      batchId: one.batchId,
      batchPriority: null,
      supersededId: one.supersededRecipeId,
      configuration: one.configuration,
      nodes: new Map(),
      input: input?.input ?? null,
      source: input?.source ?? null,
      isCompleted,
      isSuperseded,
    };
  }

  loadJob(jobId: number): StandaloneJob | undefined {
    const row = this.tables.jobs.get(jobId);
    if (row === undefined) return undefined;
    const revision = found(this.jobRevisions, row.new.jobTypeRevId);
    return { job: jobState(row), revision, files: this.tables.files, workspaces: WORKSPACES };
  }
}

function jobState(row: JobRow): JobState {
  const { new: one, status, exeNum, maxTries, input, output } = row;
  const { recipeIds, isSuperseded } = row;
  const { jobTypeId, jobTypeRevId, recipeId, recipeNode, batchId, eventId, configuration } = one;
  return {
    ...{ id: one.id, jobTypeId, jobTypeRevId, recipeId, recipeNode, recipeIds, batchId, eventId },
    supersededJobId: one.supersededJobId ?? null,
    ...{ configuration, isSuperseded, status, exeNum, maxTries, output },
    input: input?.input ?? null,
    source: input?.source ?? null,
  };
}

function refuseIf(condition: boolean, why: string): void {
  if (condition) throw new TurnRefused(why);
}

function found<Key, Value>(rows: ReadonlyMap<Key, Value>, key: Key): Value {
  const row = rows.get(key);
  if (row === undefined) throw new TurnRefused(`no row ${key}`);
  return row;
}

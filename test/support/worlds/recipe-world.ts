/**
 * The real recipe and job actors on the real kernel and virtual time, with rows in memory. The scheduler and the nodes
 * are simulated by the test, which records messages to them and executes by the rows.
 */

import { jobActor } from '../../../src/actors/job/job.actor.ts';
import type { JobPorts } from '../../../src/actors/job/job.ports.ts';
import type { CommittedResult } from '../../../src/actors/node/node.messages.ts';
import { ownerAddress } from '../../../src/actors/owner.messages.ts';
import { recipeActor } from '../../../src/actors/recipe/recipe.actor.ts';
import type { RecipePorts, StartFacts } from '../../../src/actors/recipe/recipe.ports.ts';
import type { Change } from '../../../src/domain/changes.ts';
import type { ConditionAsk } from '../../../src/domain/recipe/tree-changes.ts';
import type { ConditionAnswer } from '../../../src/domain/recipe/tree-events.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import type { TaskResult } from '../../../src/domain/task/task-result.ts';
import {
  type AnyActorDef,
  type ApplyPort,
  defineActor,
  Fenced,
  restartWithin,
  type System,
  stay,
  type Turn,
} from '../../../src/kernel/mod.ts';
import { type ExecutionRow, RecipeRows } from '../fakes/recipe-rows.ts';
import { makeResult } from '../fakes/task-reports.ts';
import { World } from './kernel-world.ts';
import { makeFile, WORKSPACES } from './type-revisions.ts';

type SentMessage = { readonly type: string } & Record<string, unknown>;

export class RecipeWorld {
  readonly world = new World();
  readonly rows = new RecipeRows();
  readonly told = { node: [] as SentMessage[], scheduler: [] as SentMessage[] };
  system!: System;
  loads = 0;
  /** Called before a group is applied, and after; may throw. */
  before: (turns: readonly Turn<Change>[]) => void = () => {};
  after: () => void = () => {};
  /** Called before the facts for a start are read; may throw. */
  beforeStart: () => void = () => {};
  evaluate: (ask: ConditionAsk) => boolean = () => true;
  /** Chains that the reconciliation finds. */
  due: number[] = [];
  readonly acknowledged = new Map<number, CommittedResult>();

  constructor(...revisions: readonly RecipeTypeRevision[]) {
    for (const revision of revisions) this.rows.know(revision);
    this.rows.tables.files.set(1, makeFile({ id: 1 }));
    this.world.nextId = 1_000;
  }

  get clock() {
    return this.world.clock;
  }

  async start(): Promise<this> {
    const recipe: RecipePorts = {
      loadRecipeTrees: async (ids) => {
        this.loads += 1;
        const trees = ids.map((id) => [id, this.rows.loadTree(id)] as const);
        return new Map(trees.flatMap(([id, tree]) => (tree === undefined ? [] : [[id, tree] as const])));
      },
      dueRecipes: async () => this.due,
      startFacts: async ({ recipeTypeRevId, fileIds }) => {
        this.beforeStart();
        return this.#startFacts(recipeTypeRevId, fileIds);
      },
      recipeRevision: async (revId) => this.rows.revisions.get(revId) ?? null,
      evaluateConditions: async (asks) => asks.map((ask) => this.#answer(ask)),
      runningExecutions: async (jobIds) => this.#running(jobIds),
    };
    const job: JobPorts = {
      loadJobs: async (ids) => {
        const jobs = ids.map((id) => [id, this.rows.loadJob(id)] as const);
        return new Map(jobs.flatMap(([id, one]) => (one === undefined ? [] : [[id, one] as const])));
      },
      dueJobs: async () => this.due,
      runningExecutions: async (jobIds) => this.#running(jobIds),
    };
    const apply: ApplyPort<Change> = {
      apply: async (turns) => {
        this.before(turns);
        const fenced = turns.filter((turn) => turn.epoch !== this.world.cluster.epochOf(turn.shard));
        if (fenced.length > 0) throw new Fenced(fenced.map((turn) => turn.shard));
        const results = this.rows.apply(turns.flatMap((turn) => turn.changes));
        this.after();
        return turns.map((turn) => turn.changes.map(() => results));
      },
    };
    const actors = [recipeActor, jobActor, this.#listener('node'), this.#listener('scheduler')];
    this.system = await this.world.system({
      actors: actors as unknown as AnyActorDef[],
      ports: { recipe, job },
      apply: apply as ApplyPort<unknown>,
    });
    return this;
  }

  #startFacts(revId: number, fileIds: readonly number[]): StartFacts {
    const revision = this.rows.revisions.get(revId);
    if (revision === undefined) throw new Error(`there is no revision ${revId}`);
    const { files } = this.rows.tables;
    const known = fileIds.map((id) => files.get(id)).filter((file) => file !== undefined);
    return { revision, files: new Map(known.map((file) => [file.id, file])), workspaces: WORKSPACES };
  }

  #answer(ask: ConditionAsk): ConditionAnswer {
    const isAccepted = this.evaluate(ask);
    return { conditionId: ask.conditionId, isAccepted, reason: isAccepted ? null : 'no' };
  }

  #running(jobIds: readonly number[]) {
    const rows = this.rows.running().filter((row) => jobIds.includes(row.jobId));
    return rows.map(({ id, jobId, exeNum, nodeId }) => ({ executionId: id, jobId, exeNum, nodeId }));
  }

  #listener(kind: 'node' | 'scheduler') {
    return defineActor<object, SentMessage, unknown, Change>({
      kind,
      mailboxMax: 100_000,
      idleMs: 1_000_000,
      turnMax: 100,
      supervise: restartWithin({ timesMax: 5, windowMs: 60_000 }),
      load: async (keys) => new Map(keys.map((key) => [key, {}])),
      receive: (state, message) => {
        this.told[kind].push(message);
        if (message.type === 'resultsCommitted') {
          for (const item of message.items as CommittedResult[])
            this.acknowledged.set(item.executionId, item);
        }
        return stay(state);
      },
    });
  }

  kills(): number[] {
    return this.told.node.flatMap((one) => (one.type === 'kill' ? (one.executionIds as number[]) : []));
  }

  /** Sends a report to the owner of the job, as the node's actor does. */
  report(execution: ExecutionRow, over: Partial<TaskResult> = {}): void {
    const row = this.rows.tables.jobs.get(execution.jobId);
    const owner = row?.new.owner ?? ({ kind: 'recipe', key: 1 } as const);
    const result = makeResult(execution, over);
    const message = {
      type: 'taskEnded',
      results: [{ result, nodeId: execution.nodeId, spoolId: execution.id }],
    } as const;
    this.system.tell(ownerAddress(owner), message);
  }
}

/**
 * A recipe tree without a kernel: decisions are saved to rows at once, and the state can be dropped and loaded again.
 */
import type { FileInfo } from '../../../src/domain/file/file.ts';
import type { DataDocument } from '../../../src/domain/job/job.ts';
import { advance } from '../../../src/domain/recipe/advance.ts';
import { startRecipe } from '../../../src/domain/recipe/start-recipe.ts';
import { type ConditionAsk, TreeChanges, TreeProgress } from '../../../src/domain/recipe/tree-changes.ts';
import {
  cancelJobs,
  requeueJobs,
  settleConditions,
  settleResults,
} from '../../../src/domain/recipe/tree-events.ts';
import type { RecipeTypeRevision } from '../../../src/domain/recipe/type-revisions.ts';
import type { TaskResult } from '../../../src/domain/task/task-result.ts';
import { type ExecutionRow, RecipeRows } from '../fakes/recipe-rows.ts';
import { makeResult } from '../fakes/task-reports.ts';
import { makeFile, WORKSPACES } from './type-revisions.ts';

export const ROOT = 1;

export class TreeWorld {
  readonly rows = new RecipeRows();
  readonly asks: ConditionAsk[] = [];
  nowMs = 1_000_000;
  #nextId = 100;
  #progress: TreeProgress | undefined;
  readonly newId = (): number => this.#nextId++;

  constructor(
    revision: RecipeTypeRevision,
    input: DataDocument = { files: { SRC: [1] }, json: {} },
    files: readonly FileInfo[] = [makeFile({ id: 1 })],
    configuration: Readonly<Record<string, unknown>> | null = null,
  ) {
    this.rows.know(revision);
    for (const file of files) this.rows.tables.files.set(file.id, file);
    const request = {
      recipeId: ROOT,
      shard: ROOT,
      eventId: 7,
      batchId: null,
      ingestId: null,
      configuration,
      input,
    };
    const known = new Map(files.map((file) => [file.id, file]));
    const { nowMs, newId } = this;
    const started = startRecipe(revision, request, { files: known, workspaces: WORKSPACES, nowMs, newId });
    this.rows.apply(started.changes);
    if (started.needsWake) this.load();
  }

  /** The state; loaded if there is none. */
  get progress(): TreeProgress {
    return this.#progress ?? this.load();
  }

  /** Drops the state and loads it again, which repeats pending calls. */
  load(): TreeProgress {
    const tree = this.rows.loadTree(ROOT);
    if (tree === undefined) throw new Error('no tree');
    this.asks.length = 0;
    this.#progress = new TreeProgress(tree);
    this.run((turn) => advance(turn));
    return this.#progress;
  }

  drop(): void {
    this.#progress = undefined;
  }

  /** Handles one message and saves its changes. */
  run<T>(decide: (turn: TreeChanges) => T): T {
    const turn = new TreeChanges(this.progress, { nowMs: this.nowMs++, newId: this.newId });
    const value = decide(turn);
    this.rows.apply(turn.toChanges());
    this.asks.push(...turn.asks);
    return value;
  }

  place(node: string, recipeId = ROOT): ExecutionRow {
    return this.rows.place(this.rows.jobId(recipeId, node));
  }

  end(execution: ExecutionRow, over: Partial<TaskResult> = {}) {
    return this.run((turn) => settleResults(turn, [makeResult(execution, over)]));
  }

  /** Places and completes the job of a node. */
  complete(node: string, over: Partial<TaskResult> = {}, recipeId = ROOT): void {
    this.end(this.place(node, recipeId), over);
  }

  /** Places and fails the job of a node for good. */
  fail(node: string, recipeId = ROOT): void {
    const error = { name: 'algorithm-unknown', isBuiltin: true, detail: '' };
    this.end(this.place(node, recipeId), { outcome: 'failed', error });
  }

  answer(node: string, isAccepted: boolean): void {
    const ask = this.asks.find((one) => one.node === node);
    if (ask === undefined) throw new Error(`nobody asked about '${node}'`);
    this.asks.splice(this.asks.indexOf(ask), 1);
    const answer = { conditionId: ask.conditionId, isAccepted, reason: isAccepted ? null : 'no' };
    this.run((turn) => settleConditions(turn, [answer]));
  }

  cancel(...nodes: string[]) {
    return this.run((turn) => cancelJobs(turn, { jobIds: nodes.map((node) => this.rows.jobId(ROOT, node)) }));
  }

  requeue(...nodes: string[]) {
    return this.run((turn) =>
      requeueJobs(turn, { jobIds: nodes.map((node) => this.rows.jobId(ROOT, node)) }),
    );
  }

  /** Statuses of the root recipe's nodes, and whether it is complete. */
  walk(...nodes: string[]): string[] {
    const isCompleted = this.rows.tables.recipes.get(ROOT)?.isCompleted === true;
    return [...nodes.map((node) => this.rows.status(ROOT, node)), isCompleted ? 'complete' : 'open'];
  }
}

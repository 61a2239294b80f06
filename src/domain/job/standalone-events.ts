/** The events of a job without a recipe: its executions end, users cancel and requeue it. */
import type { Change } from '../changes.ts';
import type { NewProduct } from '../file/file.ts';
import { type ParsedSource, parsedSourcesOf, rememberParsed } from '../file/parsed-source.ts';
import type { SchedulingClass } from '../scheduling/scheduling-class.ts';
import { produce } from '../task/product.ts';
import type { TaskResult } from '../task/task-result.ts';
import type { DataDocument, ExecutionEnd, JobMove, JobNote } from './job.ts';
import { type JobEvent, transition } from './job-machine.ts';
import { type MoveDetails, moveJob } from './job-move.ts';
import { executionEndOf, judgeResult, registersNothing } from './job-result.ts';
import { fitNewest, jobRevisionOf } from './newest-revision.ts';
import type { QueuedEntry } from './queueing.ts';
import type { StandaloneJob } from './standalone-job.ts';

export interface TurnFacts {
  readonly nowMs: number;
  /** Fresh ids; kind `file`. */
  newId(idKind: string): number;
}

/** The changes of one message to one job. */
export class StandaloneChanges {
  readonly state: StandaloneJob;
  readonly queued: QueuedEntry[] = [];
  /** Executions whose products were not registered. */
  readonly voids = new Set<number>();
  readonly #facts: TurnFacts;
  readonly #classes: SchedulingClass[] = [];
  readonly #notes: JobNote[] = [];
  readonly #ends: ExecutionEnd[] = [];
  readonly #parsed: ParsedSource[] = [];
  readonly #products: NewProduct[] = [];
  #move: JobMove | undefined;

  constructor(state: StandaloneJob, facts: TurnFacts) {
    this.state = state;
    this.#facts = facts;
  }

  /** Applies ended executions: the job completes, fails or is tried again. */
  settle(results: readonly TaskResult[]): void {
    const { job } = this.state;
    for (const result of results) {
      const judgement = judgeResult(result.jobId === job.id ? job : undefined, result);
      let output: DataDocument | null = null;
      if (judgement.type === 'completed') {
        output = this.#register(result);
        this.#apply({ type: 'taskCompleted', exeNum: result.exeNum }, { output });
      } else if (judgement.type === 'failed') {
        const { error, isRetryable } = judgement;
        this.#apply({ type: 'taskFailed', exeNum: result.exeNum, isRetryable }, { error });
      } else if (judgement.type === 'neverBegan') {
        this.#apply({ type: 'taskNeverBegan', exeNum: result.exeNum });
      }
      if (registersNothing(judgement)) this.voids.add(result.executionId);
      this.#ends.push(executionEndOf(result, judgement, output, this.#facts.nowMs));
    }
  }

  /** Returns whether it was canceled now. */
  cancel(): boolean {
    return this.#apply({ type: 'cancelRequested' });
  }

  /** Returns whether it was queued again. `isNewest`: only with the newest revision. */
  requeue(priority: number | undefined, isNewest: boolean): boolean {
    const { job, revision } = this.state;
    const requested = { type: 'requeueRequested', addedTries: revision.maxTries } as const;
    const { newest } = revision;
    if (!isNewest || newest === undefined) return this.#apply(requested, { priority });
    const fit = fitNewest(job, newest);
    if (!fit.ok) {
      if (transition(job, requested).type === 'moved') this.#note(fit.reason);
      return false;
    }
    this.state.revision = newest;
    const input = fit.input === undefined ? {} : { input: fit.input };
    const isMoved = this.#apply(requested, { priority, revision: jobRevisionOf(newest), ...input });
    if (isMoved) job.jobTypeRevId = newest.jobTypeRevId;
    else this.state.revision = revision;
    return isMoved;
  }

  #note(reason: string): void {
    this.#notes.push({ jobId: this.state.job.id, reason, atMs: this.#facts.nowMs });
  }

  toChanges(): Change[] {
    const changes: Change[] = [];
    if (this.#classes.length > 0) changes.push({ type: 'ensureClasses', classes: this.#classes });
    if (this.#move !== undefined) changes.push({ type: 'moveJobs', moves: [this.#move] });
    if (this.#notes.length > 0) changes.push({ type: 'explainJobs', jobs: this.#notes });
    if (this.#ends.length > 0) changes.push({ type: 'endExecutions', ends: this.#ends });
    if (this.#parsed.length > 0) changes.push({ type: 'parseSources', sources: this.#parsed });
    if (this.#products.length > 0) changes.push({ type: 'createProducts', products: this.#products });
    return changes;
  }

  #register(result: TaskResult): DataDocument {
    const { job, revision, files, workspaces } = this.state;
    const { nowMs } = this.#facts;
    const parsed = parsedSourcesOf(result, job, files, nowMs);
    this.#parsed.push(...parsed);
    rememberParsed(parsed, job, files);
    const newId = (idKind: string): number => this.#facts.newId(idKind);
    const made = produce({ result, job, revision, recipeTypeId: null, files, workspaces, nowMs, newId });
    this.#products.push(...made.products);
    return made.output;
  }

  /** At most one event of a message moves the job; later ones have no effect. */
  #apply(event: JobEvent, details: MoveDetails = {}): boolean {
    const { job, revision, files, workspaces } = this.state;
    const owner = { kind: 'job', key: job.id } as const;
    const moved = moveJob(
      job,
      event,
      { revision, owner, files, workspaces, nowMs: this.#facts.nowMs },
      details,
    );
    if (moved === undefined) return false;
    this.#move = moved.move;
    if (moved.queued !== null) {
      this.#classes.push(moved.queued.class);
      this.queued.push(moved.queued.entry);
    }
    return true;
  }
}

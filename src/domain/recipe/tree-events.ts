/**
 * The external events of a recipe tree: executions end, conditions are evaluated, users cancel and requeue. Each
 * function applies its event to memory and to the turn's changes, with all consequences.
 */
import { parsedSourcesOf, rememberParsed } from '../file/parsed-source.ts';
import type { DataDocument, JobState } from '../job/job.ts';
import { isLive, transition } from '../job/job-machine.ts';
import { isPassedBy } from '../job/job-request.ts';
import { executionEndOf, judgeResult, registersNothing } from '../job/job-result.ts';
import { fitNewest } from '../job/newest-revision.ts';
import { type Produced, produce } from '../task/product.ts';
import type { TaskResult } from '../task/task-result.ts';
import { advance, processCondition } from './advance.ts';
import { placeOf } from './recipe-place.ts';
import type { TreeChanges } from './tree-changes.ts';

export interface SettledResult {
  readonly executionId: number;
  /** None of its products was registered, so the agent has to remove them. */
  readonly isVoid: boolean;
}

export interface Settled {
  readonly results: readonly SettledResult[];
  /**
   * A product is in a workspace that was created after the tree was loaded: nothing was applied; load again to
   * continue.
   */
  readonly isStale: boolean;
}

/** Applies ended executions: jobs complete, fail or are tried again. */
export function settleResults(turn: TreeChanges, results: readonly TaskResult[]): Settled {
  let isStale = false;
  const settled = results.map((result) => {
    const job = turn.tree.jobs.get(result.jobId);
    const judgement = judgeResult(job, result);
    let output: DataDocument | null = null;
    if (job !== undefined && judgement.type === 'completed') {
      const made = register(turn, job, result);
      isStale ||= made.files.length < made.products.length;
      output = made.output;
      const seedMs = seedMsOf(result);
      turn.apply(job, { type: 'taskCompleted', exeNum: result.exeNum }, { output, seedMs });
      unpublishReplaced(turn, job);
    } else if (job !== undefined && judgement.type === 'failed') {
      const { error, isRetryable } = judgement;
      turn.apply(job, { type: 'taskFailed', exeNum: result.exeNum, isRetryable }, { error });
    } else if (job !== undefined && judgement.type === 'neverBegan') {
      turn.apply(job, { type: 'taskNeverBegan', exeNum: result.exeNum });
    }
    turn.executionEnds.push(executionEndOf(result, judgement, output, turn.nowMs));
    return { executionId: result.executionId, isVoid: registersNothing(judgement) };
  });
  if (!isStale) advance(turn);
  return { results: settled, isStale };
}

/** The duration of the main task; null if unknown. */
function seedMsOf({ phases }: TaskResult): number | null {
  const main = phases.find((one) => one.phase === 'main');
  return main === undefined || main.endedMs === null ? null : Math.max(0, main.endedMs - main.startedMs);
}

/** Products of the jobs that this one replaced stay published until now. */
function unpublishReplaced(turn: TreeChanges, job: JobState): void {
  let before = job.supersededJobId ?? null;
  while (before !== null) {
    turn.unpublished.push({ jobId: before, atMs: turn.nowMs });
    before = turn.tree.jobs.get(before)?.supersededJobId ?? null;
  }
}

function register(turn: TreeChanges, job: JobState, result: TaskResult): Produced {
  const { files, workspaces } = turn.tree;
  const { recipeTypeId } = turn.recipeOf(job).revision;
  const { nowMs, newId } = turn;
  const parsed = parsedSourcesOf(result, job, files, nowMs);
  turn.parsed.push(...parsed);
  rememberParsed(parsed, job, files);
  const made = produce({
    result,
    job,
    revision: turn.jobTypeRevisionOf(job),
    recipeTypeId,
    files,
    workspaces,
    nowMs,
    newId,
  });
  turn.products.push(...made.products);
  for (const file of made.files) files.set(file.id, file);
  return made;
}

export interface ConditionAnswer {
  readonly conditionId: number;
  readonly isAccepted: boolean;
  /** Why it was not accepted, as one sentence; null if it was. */
  readonly reason: string | null;
}

/**
 * Applies evaluated conditions. Answers to calls of an earlier state are ignored, because this state repeats the calls.
 */
export function settleConditions(turn: TreeChanges, answers: readonly ConditionAnswer[]): void {
  const { evaluating } = turn.progress;
  for (const { conditionId, isAccepted, reason } of answers) {
    const ask = evaluating.get(conditionId);
    if (ask === undefined) continue;
    evaluating.delete(conditionId);
    const state = turn.tree.recipes.get(ask.recipeId)?.nodes.get(ask.node);
    if (state?.kind !== 'condition' || state.isProcessed) continue;
    processCondition(turn, state, { isAccepted, data: ask.data, reason });
    turn.dirty.add(ask.recipeId);
  }
  advance(turn);
}

/** Repeats the calls for conditions that could not be evaluated. */
export function askAgain(turn: TreeChanges, conditionIds: readonly number[]): void {
  const { evaluating } = turn.progress;
  for (const conditionId of conditionIds) {
    const ask = evaluating.get(conditionId);
    if (ask === undefined) continue;
    evaluating.delete(conditionId);
    turn.dirty.add(ask.recipeId);
  }
  advance(turn);
}

/** Jobs to change; `position` is that of the request for many jobs, if there is one. */
export interface JobSelection {
  readonly jobIds: readonly number[];
  readonly position?: number | undefined;
}

export interface Stopped {
  readonly jobIds: readonly number[];
  /** Jobs that may have a running execution, which is to be killed. */
  readonly liveJobIds: readonly number[];
}

/** Cancels jobs that are not complete or canceled; ids of other trees are ignored. */
export function cancelJobs(turn: TreeChanges, { jobIds, position }: JobSelection): Stopped {
  return applyToAll(turn, { jobIds, position }, (job) => turn.apply(job, { type: 'cancelRequested' }));
}

/** Queues jobs again that failed, were canceled, or are to start over; a job that was never queued waits again. */
export function requeueJobs(
  turn: TreeChanges,
  {
    jobIds,
    position,
    priority,
    revision,
  }: JobSelection & { readonly priority?: number; readonly revision?: 'newest' },
): Stopped {
  return applyToAll(turn, { jobIds, position }, (job) => {
    const present = turn.jobTypeRevisionOf(job);
    const requested = { type: 'requeueRequested', addedTries: present.maxTries } as const;
    const { newest } = present;
    if (revision === undefined || newest === undefined) return turn.apply(job, requested, { priority });
    const fit = fitNewest(job, newest, placeOf(turn.recipeOf(job).revision, job.recipeNode ?? '', present));
    if (fit.ok) {
      const input = fit.input === undefined ? {} : { input: fit.input };
      return turn.applyRevised(job, newest, requested, { priority, ...input });
    }
    if (transition(job, requested).type === 'moved')
      turn.notes.push({ jobId: job.id, reason: fit.reason, atMs: turn.nowMs });
    return false;
  });
}

function applyToAll(
  turn: TreeChanges,
  { jobIds, position }: JobSelection,
  apply: (job: JobState) => boolean,
): Stopped {
  const moved: number[] = [];
  const live: number[] = [];
  for (const id of new Set(jobIds)) {
    const job = turn.tree.jobs.get(id);
    if (job === undefined || job.isSuperseded || isPassedBy(job, position)) continue;
    const wasLive = isLive(job.status);
    if (!apply(job)) continue;
    moved.push(id);
    if (wasLive) live.push(id);
  }
  advance(turn);
  return { jobIds: moved, liveJobIds: live };
}

/**
 * The messages that an owner of jobs sends after its commit: acknowledgements of reports to nodes, and changes to the
 * scheduler.
 */
import type { Change } from '../domain/changes.ts';
import type { JobState } from '../domain/job/job.ts';
import { isLive } from '../domain/job/job-machine.ts';
import { executionEndOf } from '../domain/job/job-result.ts';
import type { QueuedEntry } from '../domain/job/queueing.ts';
import type { EndOfExecution } from '../domain/scheduling/work-ahead.ts';
import { failedResult } from '../domain/task/task-report.ts';
import type { TaskResult } from '../domain/task/task-result.ts';
import { type Effect, type Fallback, hint, save, tell } from '../kernel/mod.ts';
import type { Keyed } from './keyed-answer.ts';
import { type CommittedResult, nodeAddress } from './node/node.messages.ts';
import type { OwnedResult, TaskEnded } from './owner.messages.ts';
import { SCHEDULER } from './scheduler/scheduler.messages.ts';

/** limit: notices in one message, which may have to go to another coordinator. */
const NOTICES_MAX = 500;

/** A running execution, from rows. */
export interface OwnedExecution {
  readonly jobId: number;
  readonly executionId: number;
  readonly exeNum: number;
  readonly nodeId: number;
}

/**
 * Acknowledges ended executions. `voids`: executions without registered products.
 *
 * poll: the agent repeats its report until it is acknowledged; the scheduler reads rows at each resynchronisation.
 */
export function acknowledge(results: readonly OwnedResult[], voids: ReadonlySet<number>): Effect<never>[] {
  const byNode = new Map<number, CommittedResult[]>();
  for (const { result, nodeId, spoolId } of results) {
    const { executionId } = result;
    const item = { executionId, spoolId, isVoid: voids.has(executionId) };
    const items = byNode.get(nodeId);
    if (items === undefined) byNode.set(nodeId, [item]);
    else items.push(item);
  }
  const ended = results.map(({ result, nodeId }) => {
    return { executionId: result.executionId, nodeId, ...endOf(result) };
  });
  return [
    ...[...byNode].map(([nodeId, items]) => tell(nodeAddress(nodeId), { type: 'resultsCommitted', items })),
    tell(SCHEDULER, { type: 'ended', items: ended }),
  ];
}

/** What the scheduler wants to know of an end. */
function endOf({ phases, outcome, neverBegan }: TaskResult): EndOfExecution {
  if (neverBegan === true) return { neverBegan };
  // One that failed or was canceled at once says nothing about how long the others take.
  if (outcome !== 'completed') return {};
  const [first] = phases;
  const endedMs = phases.at(-1)?.endedMs ?? null;
  // An agent's clock may step back while a task runs.
  if (first === undefined || endedMs === null || !(endedMs >= first.startedMs)) return {};
  return { tookMs: endedMs - first.startedMs };
}

/**
 * For jobs that the turn queues. A scheduler that is loaded on this coordinator can place them in the same commit: they
 * begin one commit earlier, and their rows are written once less. Jobs that have to wait before their next try are only
 * announced.
 *
 * poll: the scheduler reads the queue from rows at each resynchronisation.
 */
export function announceQueued(queued: readonly QueuedEntry[]): Effect<never>[] {
  const placeable = queued.filter(({ notBeforeMs }) => notBeforeMs === undefined);
  const hints = placeable.length === 0 ? [] : [hint(SCHEDULER, { type: 'queueing', jobs: placeable })];
  return [...hints, ...announceCommitted(queued)];
}

/**
 * How the jobs of a request are announced. The turn of a request with a key also saves its answer, which shows the jobs
 * as they were queued, so nothing may place them in the same commit.
 */
export function announcementOf({ answer }: Keyed): typeof announceQueued {
  return answer === undefined ? announceQueued : announceCommitted;
}

function announceCommitted(queued: readonly QueuedEntry[]): Effect<never>[] {
  const effects: Effect<never>[] = [];
  for (let at = 0; at < queued.length; at += NOTICES_MAX) {
    effects.push(tell(SCHEDULER, { type: 'queued', jobs: queued.slice(at, at + NOTICES_MAX) }));
  }
  return effects;
}

/**
 * Kills executions that are no longer their job's current one. `jobOf`: the job in memory, undefined if there is none.
 *
 * poll: the owner's reconciliation finds executions whose kill was lost.
 */
export function killStale(
  executions: readonly OwnedExecution[],
  jobOf: (jobId: number) => Pick<JobState, 'status' | 'exeNum'> | undefined,
): Effect<never>[] {
  const byNode = new Map<number, number[]>();
  for (const { jobId, exeNum, nodeId, executionId } of executions) {
    const job = jobOf(jobId);
    if (job !== undefined && isLive(job.status) && job.exeNum === exeNum) continue;
    const ids = byNode.get(nodeId);
    if (ids === undefined) byNode.set(nodeId, [executionId]);
    else ids.push(executionId);
  }
  return [...byNode].map(([nodeId, executionIds]) =>
    tell(nodeAddress(nodeId), { type: 'kill', executionIds }),
  );
}

/** Ends executions whose owner has no rows: their products will never be registered. */
export function voidAll(results: readonly OwnedResult[], nowMs: number): Effect<Change>[] {
  const ends = results.map(({ result }) => executionEndOf(result, { type: 'void' }, null, nowMs));
  const voids = new Set(ends.map((end) => end.executionId));
  return [save({ type: 'endExecutions', ends }), ...acknowledge(results, voids)];
}

const NOT_SAVED = 'results-not-saved';

/**
 * The fallback for reports that cannot be saved and would be repeated for ever: each is handled alone, then replaced by
 * a failure without the task's report, any part of which may be the cause.
 */
export function fallbackForReports({ results }: TaskEnded): Fallback<TaskEnded> | undefined {
  const ids = results.map(({ result }) => result.executionId);
  if (results.length > 1) {
    const messages = results.map((one): TaskEnded => ({ type: 'taskEnded', results: [one] }));
    return { messages, about: { executionIds: ids.join() } };
  }
  const [owned] = results;
  if (owned === undefined || owned.result.error?.name === NOT_SAVED) return undefined;
  const error = { name: NOT_SAVED, detail: 'what the task reported cannot be saved' };
  const failed: OwnedResult = { ...owned, result: failedResult(owned.result, error) };
  const { executionId, jobId } = owned.result;
  return { messages: [{ type: 'taskEnded', results: [failed] }], about: { executionId, jobId } };
}

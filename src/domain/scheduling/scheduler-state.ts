/**
 * The scheduler's state between passes: settings, limits, nodes with their executions, and the queue by class. All of
 * it can be rebuilt from rows (`SchedulerSnapshot`), which is also how it is repaired.
 */

import { Heap } from '../../lib/heap.ts';
import { isPausing } from '../job/retry.ts';
import { ClassQueue } from './class-queue.ts';
import type { PassNode } from './fleet.ts';
import { type Placement, placeJobs } from './pass.ts';
import { add, subtract } from './resources.ts';
import type { SchedulingClass } from './scheduling-class.ts';
import type {
  ClassHead,
  NodeView,
  QueuedJob,
  RunningExecution,
  SchedulerSettings,
  SchedulerSnapshot,
  TypeLimit,
} from './snapshot.ts';
import { type EndOfExecution, WorkAhead } from './work-ahead.ts';

/** limit: placements of one pass, which is one commit. */
export const PLACEMENTS_MAX = 500;

/** limit: jobs in memory that wait for their retry; rows have the rest. */
const PAUSED_MAX = 10_000;

/** limit: classes in memory; above it, those with nothing queued are dropped at the next repair. */
const CLASSES_MAX = 2_000;

interface NodeBook extends Omit<PassNode, 'ahead'> {
  readonly hostname: string;
  readonly free: Record<string, number>;
  readonly isReady: boolean;
  readonly takesWorkAhead: boolean;
}

/** An execution as it is counted. */
interface CountedExecution extends RunningExecution {
  /** Its part of the work of its node; undefined: it may take long. */
  readonly shortMs: number | undefined;
}

/** Events since a read of rows began. */
export interface Since {
  readonly placed: Set<number>;
  readonly ended: Set<number>;
  readonly nodes: Map<number, NodeView>;
  hasSettings: boolean;
  /** Somebody said that rows have changed, before it began. */
  readonly isRequested: boolean;
}

export function newSince(isRequested: boolean): Since {
  return { placed: new Set(), ended: new Set(), nodes: new Map(), hasSettings: false, isRequested };
}

export interface PausedJob {
  readonly dueMs: number;
  readonly class: SchedulingClass;
  readonly job: QueuedJob;
}

/** A job that its owner is about to queue. Its commit is followed by the announcement, which is the truth. */
interface HintedJob {
  readonly exeNum: number;
  readonly atMs: number;
  /** Its placement is committed, so the announcement is old news. */
  isPlaced: boolean;
}

export interface SchedulerState {
  settings: SchedulerSettings;
  types: Map<number, TypeLimit>;
  readonly nodes: Map<number, NodeBook>;
  readonly running: Map<number, CountedExecution>;
  readonly runningByType: Map<number, number>;
  readonly classes: Map<string, ClassQueue>;
  /** Why no node could run a class, as saved. */
  unmetClasses: Map<string, string>;
  /** By job id, the earliest first; those whose announcement has come are no longer here. */
  readonly hinted: Map<number, HintedJob>;
  /** Jobs that may not be placed yet, the one that is due first on top. */
  readonly paused: Heap<PausedJob>;
  /** The total resources held by executions on each node. */
  readonly used: Map<number, Record<string, number>>;
  readonly work: WorkAhead;
  /** Events since rows were last read, which the answer may not include. Null while no read is pending. */
  since: Since | null;
  /** Rows have to be read once more, because they have changed since the pending read began. */
  isRequestedAgain: boolean;
  isPassDue: boolean;
  isUnmetStale: boolean;
}

export function stateOf(snapshot: SchedulerSnapshot): SchedulerState {
  const state: SchedulerState = {
    settings: snapshot.settings,
    types: new Map(),
    nodes: new Map(),
    running: new Map(),
    runningByType: new Map(),
    classes: new Map(),
    unmetClasses: new Map(),
    hinted: new Map(),
    paused: new Heap<PausedJob>((a, b) => a.dueMs < b.dueMs),
    used: new Map(),
    work: new WorkAhead(),
    since: null,
    isRequestedAgain: false,
    isPassDue: false,
    isUnmetStale: true,
  };
  repair(state, snapshot);
  return state;
}

/** Applies a snapshot of the rows, except for what happened since it was requested. */
export function repair(state: SchedulerState, snapshot: SchedulerSnapshot, nowMs = 0): void {
  const since = state.since;
  state.since = null;
  const settings = since?.hasSettings === true ? state.settings : snapshot.settings;
  if (state.settings.queueMode !== settings.queueMode) state.classes.clear();
  state.settings = settings;
  state.types = new Map(snapshot.types.map((type) => [type.jobTypeId, type]));
  if (snapshot.unmetClasses !== undefined) state.unmetClasses = new Map(snapshot.unmetClasses);
  const kept = [...state.running.values()].filter((one) => since?.placed.has(one.executionId));
  state.running.clear();
  state.runningByType.clear();
  state.nodes.clear();
  state.used.clear();
  state.work.clear(new Set(snapshot.nodes.map(({ nodeId }) => nodeId)));
  for (const { jobTypeId, startedMs = nowMs } of snapshot.running)
    state.work.noteAge(jobTypeId, nowMs - startedMs);
  for (const view of snapshot.nodes) noteNode(state, view);
  for (const view of since?.nodes.values() ?? []) noteNode(state, view);
  for (const one of snapshot.running) if (!since?.ended.has(one.executionId)) noteRunning(state, one);
  for (const one of kept) noteRunning(state, one);
  if (state.classes.size > CLASSES_MAX) {
    for (const [key, queue] of state.classes) if (queue.isSpent) state.classes.delete(key);
  }
  for (const one of snapshot.classes) {
    const queue = state.classes.get(one.key);
    // Rows may hold jobs whose announcement was lost: when the head is empty, it is read again.
    if (queue !== undefined) queue.isWhole = false;
    else state.classes.set(one.key, new ClassQueue(one, state.settings.queueMode, false));
  }
  state.isUnmetStale = true;
}

/** Adds or updates a node. The resources of its executions remain counted. */
export function noteNode(state: SchedulerState, view: NodeView): void {
  state.since?.nodes.set(view.nodeId, view);
  const free: Record<string, number> = { ...view.total };
  subtract(free, state.used.get(view.nodeId) ?? {});
  state.nodes.set(view.nodeId, {
    nodeId: view.nodeId,
    hostname: view.hostname ?? `node ${view.nodeId}`,
    isReady: view.isReady,
    total: view.total,
    free,
    executors: new Set(view.executors),
    workspaceIds: new Set(view.workspaceIds),
    takesWorkAhead: view.takesWorkAhead === true,
  });
  state.isUnmetStale = true;
}

/** Counts the resources of an execution that runs or is being placed. A known one changes nothing. */
function noteRunning(state: SchedulerState, one: RunningExecution): void {
  if (state.running.has(one.executionId)) return;
  state.runningByType.set(one.jobTypeId, (state.runningByType.get(one.jobTypeId) ?? 0) + 1);
  const used = state.used.get(one.nodeId);
  if (used === undefined) state.used.set(one.nodeId, { ...one.resources });
  else add(used, one.resources);
  const node = state.nodes.get(one.nodeId);
  if (node !== undefined) subtract(node.free, one.resources);
  state.running.set(one.executionId, { ...one, shortMs: state.work.add(one, node?.total) });
}

/** Frees the resources of an execution that has ended or was not placed. */
export function noteEnded(
  state: SchedulerState,
  executionId: number,
  end: EndOfExecution = {},
  nowMs = 0,
): void {
  state.since?.ended.add(executionId);
  const one = state.running.get(executionId);
  if (one === undefined) return;
  state.work.remove(one, end, nowMs);
  state.running.delete(executionId);
  state.runningByType.set(one.jobTypeId, (state.runningByType.get(one.jobTypeId) ?? 1) - 1);
  subtract(state.used.get(one.nodeId) ?? {}, one.resources);
  const node = state.nodes.get(one.nodeId);
  if (node !== undefined) add(node.free, one.resources);
}

/** Adds a queued job. One that may not be placed yet is kept until `releaseDue`. */
export function noteQueued(
  state: SchedulerState,
  jobClass: SchedulingClass,
  job: QueuedJob,
  nowMs: number,
): void {
  const dueMs = job.notBeforeMs ?? 0;
  if (isPausing(dueMs, nowMs)) {
    // poll: each repair reads the rows again, which include the jobs that are due.
    if (state.paused.size < PAUSED_MAX) state.paused.push({ dueMs, class: jobClass, job });
    return;
  }
  let queue = state.classes.get(jobClass.key);
  if (queue === undefined) {
    // Every class with queued jobs was in the last snapshot, so this one has no unannounced jobs in rows; the next
    // repair finds a lost announcement.
    queue = new ClassQueue(jobClass, state.settings.queueMode, true);
    state.classes.set(jobClass.key, queue);
    state.isUnmetStale = true;
  }
  queue.offer(job);
}

/** Adds a job that its owner is about to queue: a placement in the same commit finds it, any other is refused. */
export function noteHinted(
  state: SchedulerState,
  jobClass: SchedulingClass,
  job: QueuedJob,
  nowMs: number,
): void {
  state.hinted.delete(job.jobId);
  state.hinted.set(job.jobId, { exeNum: job.exeNum, atMs: nowMs, isPlaced: false });
  noteQueued(state, jobClass, job, nowMs);
}

/** Adds a job whose queueing is committed, unless it has been placed since it was hinted. */
export function noteAnnounced(
  state: SchedulerState,
  jobClass: SchedulingClass,
  job: QueuedJob,
  nowMs: number,
): void {
  const known = state.hinted.get(job.jobId);
  state.hinted.delete(job.jobId);
  if (known?.isPlaced !== true || known.exeNum < job.exeNum) noteQueued(state, jobClass, job, nowMs);
}

/** Forgets hints from before `atMs`: their announcements are lost, or will be handled as new. */
export function forgetHints(state: SchedulerState, atMs: number): void {
  for (const [jobId, known] of state.hinted) {
    if (known.atMs >= atMs) return;
    state.hinted.delete(jobId);
  }
}

/** Offers the jobs whose pause is over. Returns when the next one is due; undefined: none waits. */
export function releaseDue(state: SchedulerState, nowMs: number): number | undefined {
  for (let next = state.paused.peek(); next !== undefined; next = state.paused.peek()) {
    if (isPausing(next.dueMs, nowMs)) return next.dueMs;
    state.paused.pop();
    noteQueued(state, next.class, next.job, nowMs);
  }
  return undefined;
}

/** Adds the head of a class that was read from rows. */
export function noteHead(state: SchedulerState, head: ClassHead): void {
  const queue = state.classes.get(head.class.key);
  if (queue === undefined) return;
  queue.isReading = false;
  queue.isWhole = true;
  for (const job of head.jobs) queue.offer(job);
  queue.isWhole = head.isWhole && queue.isWhole;
}

/** Classes whose head must be read from rows before they can be placed; marks them as being read. */
export function classesToRead(state: SchedulerState, classesMax: number): readonly SchedulingClass[] {
  const hungry: SchedulingClass[] = [];
  for (const queue of state.classes.values()) {
    if (!queue.needsRead || state.types.get(queue.class.jobTypeId)?.isPaused === true) continue;
    queue.isReading = true;
    hungry.push(queue.class);
    if (hungry.length >= classesMax) break;
  }
  return hungry;
}

/** Runs one pass. Its placements are accounted for at once; `settlePlacements` corrects this after the commit. */
export function runPass(
  state: SchedulerState,
  nowMs: number,
  newExecutionId: () => number,
): {
  readonly placed: readonly (Placement & { readonly executionId: number })[];
  readonly isCutShort: boolean;
} {
  if (state.settings.isPaused) return { placed: [], isCutShort: false };
  const queues = [...state.classes.values()].filter(
    (queue) => queue.size > 0 && state.types.get(queue.class.jobTypeId)?.isPaused !== true,
  );
  // Before the nodes are looked at: each message makes a pass, most of them with nothing queued.
  if (queues.length === 0) return { placed: [], isCutShort: false };
  const nodes = [...state.nodes.values()]
    .filter((node) => node.isReady)
    .map((node): PassNode => {
      return { ...node, ahead: node.takesWorkAhead ? state.work.roomOn(node.nodeId, nowMs) : undefined };
    });
  if (nodes.length === 0) return { placed: [], isCutShort: false };
  const { placements, isCutShort } = placeJobs({
    mode: state.settings.queueMode,
    nowMs,
    queues,
    nodes,
    roomOf: (jobTypeId) => roomOf(state, jobTypeId),
    shortMsOf: (jobTypeId) => state.work.shortMs(jobTypeId),
    placementsMax: PLACEMENTS_MAX,
  });
  const placed = placements.map((placement) => ({ ...placement, executionId: newExecutionId() }));
  for (const one of placed) {
    state.since?.placed.add(one.executionId);
    const { executionId, nodeId } = one;
    const { jobTypeId, resources } = one.class;
    noteRunning(state, { executionId, nodeId, jobTypeId, resources });
  }
  return { placed, isCutShort };
}

/** After the commit of placements: those that their rows refused release their resources. */
export function settlePlacements(
  state: SchedulerState,
  placed: readonly {
    readonly executionId: number;
    readonly job: QueuedJob;
    readonly class: SchedulingClass;
  }[],
  committed: ReadonlySet<number>,
): void {
  for (const one of placed) {
    const queue = state.classes.get(one.class.key);
    queue?.settle(one.job.jobId);
    const known = state.hinted.get(one.job.jobId);
    if (!committed.has(one.executionId)) noteEnded(state, one.executionId);
    else if (known?.exeNum === one.job.exeNum) known.isPlaced = true;
  }
}

/** limit: jobs of the type at once, as far as is known; null = none. */
export function maxScheduledOf(state: SchedulerState, jobTypeId: number): number | null {
  return state.types.get(jobTypeId)?.maxScheduled ?? null;
}

/** How many more jobs of the type may run; Infinity without a limit. */
export function roomOf(state: SchedulerState, jobTypeId: number): number {
  const max = maxScheduledOf(state, jobTypeId);
  return max === null ? Number.POSITIVE_INFINITY : max - (state.runningByType.get(jobTypeId) ?? 0);
}

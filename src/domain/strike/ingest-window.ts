/**
 * The live ingests that a strike or scan holds in memory: a bounded window onto its rows. What waits for a node is
 * kept by the workspaces it needs, so that handing it out costs by what is handed out, not by what is there.
 */
import type { IngestState } from '../ingest/ingest.ts';
import { isPausing } from '../job/retry.ts';

/** How many live ingests a strike or scan holds in memory; the rest waits in rows. */
export const LIVE_INGESTS_MAX = 2_000;

/** An ingest in the window. Without an execution it waits to be given to a node. */
export interface LiveIngest extends Omit<IngestState, 'executionId' | 'nodeId' | 'exeNum' | 'status'> {
  executionId: number | null;
  nodeId: number | null;
  exeNum: number;
  /** Not before this instant, after a failed try. */
  notBeforeMs: number;
  /** Somebody wishes it ended: its node was told so, and it is not tried again. */
  isCancelWanted: boolean;
}

export interface IngestWindow {
  readonly live: Map<number, LiveIngest>;
  /** Live ingest by its execution. */
  readonly byExecution: Map<number, number>;
  /** Ids of those that wait for a node, in their order, by the ids of the workspaces they need, joined. */
  readonly waiting: Map<string, Set<number>>;
  /** Ids of those that pause after a failed try. */
  readonly pausing: Set<number>;
  /** When the last of those that were ever here arrived: clocks of owners differ, the order must not. */
  newestMs: number;
  /** Those that begin with their rows, which are being made. */
  beginning: number;
  /** Rows hold live ingests beyond the window. */
  hasMore: boolean;
  /** Ids that left the window since rows were asked for more; null while nobody asks. */
  leftSince: Set<number> | null;
}

export function newWindow(hasMore: boolean): IngestWindow {
  return {
    live: new Map(),
    byExecution: new Map(),
    waiting: new Map(),
    pausing: new Set(),
    newestMs: 0,
    beginning: 0,
    hasMore,
    leftSince: null,
  };
}

/** The workspaces that an ingest touches, ascending. */
export function workspacesOf(ingest: Pick<LiveIngest, 'workspaceId' | 'newWorkspaceId'>): readonly number[] {
  const { workspaceId, newWorkspaceId } = ingest;
  if (newWorkspaceId === null || newWorkspaceId === workspaceId) return [workspaceId];
  return workspaceId < newWorkspaceId ? [workspaceId, newWorkspaceId] : [newWorkspaceId, workspaceId];
}

/** Takes an ingest into the window, as its row says; one that is there stays as it is. */
export function admit(window: IngestWindow, ingest: IngestState): void {
  if (window.live.has(ingest.id)) return;
  const isRunning = ingest.status === 'INGESTING';
  // A row that runs without an execution cannot be begun nor ended: it is left to whoever looks at it.
  if (isRunning && ingest.executionId === null) return;
  const { status: _, ...rest } = ingest;
  const executionId = isRunning ? ingest.executionId : null;
  const nodeId = isRunning ? ingest.nodeId : null;
  const taken = { ...rest, executionId, nodeId, notBeforeMs: 0, isCancelWanted: false };
  window.live.set(ingest.id, taken);
  window.newestMs = Math.max(window.newestMs, ingest.arrivedMs);
  if (executionId === null) wait(window, taken);
  else window.byExecution.set(executionId, ingest.id);
}

/** Takes in an ingest that was made just now, or leaves it to its row, behind those that wait there already. */
export function admitNew(window: IngestWindow, ingest: IngestState): void {
  if (window.hasMore || window.live.size >= LIVE_INGESTS_MAX) window.hasMore = true;
  else admit(window, ingest);
}

function wait(window: IngestWindow, ingest: LiveIngest): void {
  const key = workspacesOf(ingest).join(',');
  const ids = window.waiting.get(key);
  if (ids === undefined) window.waiting.set(key, new Set([ingest.id]));
  else ids.add(ingest.id);
}

/** An ingest has been given to a node. */
export function noteStarted(
  window: IngestWindow,
  ingest: LiveIngest,
  started: { readonly executionId: number; readonly nodeId: number },
): void {
  unwait(window, ingest);
  ingest.executionId = started.executionId;
  ingest.nodeId = started.nodeId;
  window.byExecution.set(started.executionId, ingest.id);
}

/** A try has failed: the next one comes not before `notBeforeMs`. */
export function noteFailed(
  window: IngestWindow,
  ingest: LiveIngest,
  next: { readonly exeNum: number; readonly notBeforeMs: number },
): void {
  if (ingest.executionId !== null) window.byExecution.delete(ingest.executionId);
  ingest.executionId = null;
  ingest.nodeId = null;
  ingest.exeNum = next.exeNum;
  ingest.notBeforeMs = next.notBeforeMs;
  window.pausing.add(ingest.id);
}

/** Those whose pause is over wait for a node again. */
export function endPauses(window: IngestWindow, nowMs: number): void {
  for (const id of window.pausing) {
    const ingest = window.live.get(id);
    if (ingest !== undefined && isPausing(ingest.notBeforeMs, nowMs)) continue;
    window.pausing.delete(id);
    if (ingest !== undefined) wait(window, ingest);
  }
}

/** Takes an ingest out of the window. */
export function dismiss(window: IngestWindow, ingest: LiveIngest): void {
  window.live.delete(ingest.id);
  window.leftSince?.add(ingest.id);
  unwait(window, ingest);
  if (ingest.executionId !== null) window.byExecution.delete(ingest.executionId);
}

function unwait(window: IngestWindow, ingest: LiveIngest): void {
  window.pausing.delete(ingest.id);
  const key = workspacesOf(ingest).join(',');
  const ids = window.waiting.get(key);
  ids?.delete(ingest.id);
  if (ids?.size === 0) window.waiting.delete(key);
}

/** Whether rows are to be read: there are more, nobody reads, and the window is half empty. */
export function wantsMore({ hasMore, leftSince, live }: IngestWindow): boolean {
  return hasMore && leftSince === null && live.size <= LIVE_INGESTS_MAX / 2;
}

/** Rows are being asked. What arrives from now on and finds no room sets `hasMore` again. */
export function noteReading(window: IngestWindow): void {
  window.leftSince = new Set();
  window.hasMore = false;
}

export function noteUnread(window: IngestWindow): void {
  window.leftSince = null;
  window.hasMore = true;
}

/** Rows answered with their first live ingests. */
export function noteRead(window: IngestWindow, ingests: readonly IngestState[]): void {
  const left = window.leftSince ?? new Set();
  window.leftSince = null;
  if (ingests.length >= LIVE_INGESTS_MAX) window.hasMore = true;
  for (const ingest of ingests) {
    // What ended while the rows were read would come back as a ghost: only waiting ingests are taken.
    if (ingest.status !== 'TRANSFERRED' || left.has(ingest.id)) continue;
    if (window.live.size < LIVE_INGESTS_MAX) admit(window, ingest);
    else window.hasMore = true;
  }
}

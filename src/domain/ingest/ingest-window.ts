/**
 * The live ingests that a strike or scan holds in memory: a bounded window onto its rows. Ingests that wait for a node
 * are indexed by the workspaces that they need, so that assigning some costs as much as their number, not the window's.
 */

import { isPausing } from '../job/retry.ts';
import type { IngestState } from './ingest.ts';

/** limit: live ingests in memory for a strike or scan; the rest waits in rows. */
export const LIVE_INGESTS_MAX = 2_000;

/** An ingest in the window. Without an execution it waits for a node. */
export interface LiveIngest extends Omit<IngestState, 'executionId' | 'nodeId' | 'exeNum' | 'status'> {
  executionId: number | null;
  nodeId: number | null;
  exeNum: number;
  /** Not before this time, after a failed try. */
  notBeforeMs: number;
  /** It is being canceled: its node has the order, and it is not tried again. */
  isCancelWanted: boolean;
}

export interface IngestWindow {
  readonly live: Map<number, LiveIngest>;
  /** Live ingest by its execution. */
  readonly byExecution: Map<number, number>;
  /** Ids of ingests that wait for a node, in order, by the joined ids of the workspaces that they need. */
  readonly waiting: Map<string, Set<number>>;
  /** Ids of ingests that pause after a failed try. */
  readonly pausing: Set<number>;
  /** The latest arrival time so far. Later arrivals never get an earlier one, although clocks of owners differ. */
  newestMs: number;
  /** The number of ingests that start in the commit that creates their rows, while this commit is pending. */
  beginning: number;
  /** Rows hold further live ingests. */
  hasMore: boolean;
  /** Ids that left the window since a pending read of rows began; null if no read is pending. */
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

/** The workspaces that an ingest needs, ascending. */
export function workspacesOf(ingest: Pick<LiveIngest, 'workspaceId' | 'newWorkspaceId'>): readonly number[] {
  const { workspaceId, newWorkspaceId } = ingest;
  if (newWorkspaceId === null || newWorkspaceId === workspaceId) return [workspaceId];
  return workspaceId < newWorkspaceId ? [workspaceId, newWorkspaceId] : [newWorkspaceId, workspaceId];
}

/** Adds the ingest of a row, unless it is in the window. */
export function admit(window: IngestWindow, ingest: IngestState): void {
  if (window.live.has(ingest.id)) return;
  const isRunning = ingest.status === 'INGESTING';
  // An INGESTING row without an execution is inconsistent. It is left for inspection.
  if (isRunning && ingest.executionId === null) return;
  const { status: _, ...rest } = ingest;
  const executionId = isRunning ? ingest.executionId : null;
  const nodeId = isRunning ? ingest.nodeId : null;
  const taken = { ...rest, executionId, nodeId, notBeforeMs: 0, isCancelWanted: false };
  window.live.set(ingest.id, taken);
  window.newestMs = Math.max(window.newestMs, ingest.arrivedMs);
  if (executionId === null) addWaiting(window, taken);
  else window.byExecution.set(executionId, ingest.id);
}

/** Adds an ingest that was just created, or leaves it in its row, behind those that already wait there. */
export function admitNew(window: IngestWindow, ingest: IngestState): void {
  if (window.hasMore || window.live.size >= LIVE_INGESTS_MAX) window.hasMore = true;
  else admit(window, ingest);
}

function addWaiting(window: IngestWindow, ingest: LiveIngest): void {
  const key = workspacesOf(ingest).join(',');
  const ids = window.waiting.get(key);
  if (ids === undefined) window.waiting.set(key, new Set([ingest.id]));
  else ids.add(ingest.id);
}

/** Records that an ingest was assigned to a node. */
export function noteStarted(
  window: IngestWindow,
  ingest: LiveIngest,
  started: { readonly executionId: number; readonly nodeId: number },
): void {
  removeWaiting(window, ingest);
  ingest.executionId = started.executionId;
  ingest.nodeId = started.nodeId;
  window.byExecution.set(started.executionId, ingest.id);
}

/** Records a failed try. The next one is not before `notBeforeMs`. */
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

/** Moves ingests whose pause is over back to those that wait for a node. */
export function endPauses(window: IngestWindow, nowMs: number): void {
  for (const id of window.pausing) {
    const ingest = window.live.get(id);
    if (ingest !== undefined && isPausing(ingest.notBeforeMs, nowMs)) continue;
    window.pausing.delete(id);
    if (ingest !== undefined) addWaiting(window, ingest);
  }
}

/** Takes an ingest out of the window. */
export function dismiss(window: IngestWindow, ingest: LiveIngest): void {
  window.live.delete(ingest.id);
  window.leftSince?.add(ingest.id);
  removeWaiting(window, ingest);
  if (ingest.executionId !== null) window.byExecution.delete(ingest.executionId);
}

function removeWaiting(window: IngestWindow, ingest: LiveIngest): void {
  window.pausing.delete(ingest.id);
  const key = workspacesOf(ingest).join(',');
  const ids = window.waiting.get(key);
  ids?.delete(ingest.id);
  if (ids?.size === 0) window.waiting.delete(key);
}

/** Whether rows should be read: there are more, no read is pending, and the window is half empty. */
export function wantsMore({ hasMore, leftSince, live }: IngestWindow): boolean {
  return hasMore && leftSince === null && live.size <= LIVE_INGESTS_MAX / 2;
}

/** Records that a read of rows begins. New arrivals that do not fit set `hasMore` again. */
export function noteReading(window: IngestWindow): void {
  window.leftSince = new Set();
  window.hasMore = false;
}

/** Records that the read has failed. */
export function noteReadFailed(window: IngestWindow): void {
  window.leftSince = null;
  window.hasMore = true;
}

/** Adds the first live ingests, which the read has returned. */
export function noteRead(window: IngestWindow, ingests: readonly IngestState[]): void {
  const left = window.leftSince ?? new Set();
  window.leftSince = null;
  if (ingests.length >= LIVE_INGESTS_MAX) window.hasMore = true;
  for (const ingest of ingests) {
    // Only waiting ingests are added: one that ended during the read must not come back.
    if (ingest.status !== 'TRANSFERRED' || left.has(ingest.id)) continue;
    if (window.live.size < LIVE_INGESTS_MAX) admit(window, ingest);
    else window.hasMore = true;
  }
}

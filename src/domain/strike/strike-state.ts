/** What a strike's actor remembers: configuration, monitor, and a bounded window of its live ingests. */
import type { IngestState } from '../ingest/ingest.ts';
import type { JobStatus } from '../job/job.ts';
import type { WorkspaceInfo } from '../node/node.ts';
import type { MonitorExecution, StrikeRow } from './strike.ts';
import type { StrikeConfiguration } from './strike-config.ts';

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

export interface StrikeState {
  readonly id: number;
  configuration: StrikeConfiguration;
  workspaceId: number;
  isPaused: boolean;
  deferredCursor: number | null;
  readonly job: { readonly id: number; status: JobStatus; exeNum: number };
  monitor: MonitorExecution | null;
  readonly ingestJob: StrikeRow['ingestJob'];
  readonly live: Map<number, LiveIngest>;
  /** Live ingest by its execution. */
  readonly byExecution: Map<number, number>;
  /** Rows hold live ingests beyond the window. */
  hasMore: boolean;
  workspaces: readonly WorkspaceInfo[];
  /** Nodes that reach a set of workspaces, as last read; the key is the ids joined. */
  readonly reaching: Map<string, { readonly nodeIds: readonly number[]; readonly atMs: number }>;
  readonly asking: Set<string>;
  isReadingMore: boolean;
  isDeferredRunning: boolean;
  /** Turns of choice among nodes. */
  turn: number;
}

export function strikeStateOf(row: StrikeRow): StrikeState {
  const state: StrikeState = {
    id: row.id,
    // Validated when it was stored.
    configuration: row.configuration as unknown as StrikeConfiguration,
    workspaceId: row.workspaceId,
    isPaused: row.isPaused,
    deferredCursor: row.deferredCursor,
    job: { ...row.job },
    monitor: row.monitor,
    ingestJob: row.ingestJob,
    live: new Map(),
    byExecution: new Map(),
    hasMore: row.hasMore,
    workspaces: row.workspaces,
    reaching: new Map(),
    asking: new Set(),
    isReadingMore: false,
    isDeferredRunning: false,
    turn: 0,
  };
  for (const ingest of row.live) admit(state, ingest);
  return state;
}

/** Takes an ingest into the window. */
export function admit(state: StrikeState, ingest: IngestState): void {
  if (state.live.has(ingest.id)) return;
  const isRunning = ingest.status === 'INGESTING';
  const executionId = isRunning ? ingest.executionId : null;
  const { status: _, ...rest } = ingest;
  state.live.set(ingest.id, {
    ...rest,
    executionId,
    nodeId: isRunning ? ingest.nodeId : null,
    notBeforeMs: 0,
    isCancelWanted: false,
  });
  if (executionId !== null) state.byExecution.set(executionId, ingest.id);
}

/** Takes an ingest out of the window. */
export function dismiss(state: StrikeState, ingest: LiveIngest): void {
  state.live.delete(ingest.id);
  if (ingest.executionId !== null) state.byExecution.delete(ingest.executionId);
}

/** The workspaces that an ingest touches. */
export function workspacesOf(ingest: LiveIngest): readonly number[] {
  const ids = new Set([ingest.workspaceId, ingest.newWorkspaceId ?? ingest.workspaceId]);
  return [...ids].sort((a, b) => a - b);
}

export function workspaceById(state: StrikeState, id: number): WorkspaceInfo | undefined {
  return state.workspaces.find((one) => one.id === id);
}

export function workspaceByName(state: StrikeState, name: string): WorkspaceInfo | undefined {
  return state.workspaces.find((one) => one.name === name);
}

/** What a strike's actor remembers: configuration, monitor, reports to settle, and its window of ingests. */
import type { JobStatus } from '../job/job.ts';
import type { WorkspaceInfo } from '../node/node.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import { admit, type IngestWindow, newWindow } from './ingest-window.ts';
import type { MonitorExecution, StrikeRow } from './strike.ts';
import type { StrikeConfiguration } from './strike-config.ts';

/** The active workspaces, by what they are looked up by. */
export interface WorkspaceBook extends WorkspaceIds {
  readonly byId: ReadonlyMap<number, WorkspaceInfo>;
}

export function workspaceBook(workspaces: readonly WorkspaceInfo[]): WorkspaceBook {
  return {
    byId: new Map(workspaces.map((one) => [one.id, one])),
    byName: new Map(workspaces.map((one) => [one.name, one.id])),
    byUuid: new Map(workspaces.map((one) => [one.uuid, one.id])),
  };
}

export interface StrikeState {
  readonly id: number;
  /** This load of the state: an answer to what an earlier one asked is told by it. */
  readonly life: object;
  configuration: StrikeConfiguration;
  workspaceId: number;
  isPaused: boolean;
  deferredCursor: number | null;
  readonly job: { readonly id: number; status: JobStatus; exeNum: number };
  monitor: MonitorExecution | null;
  readonly ingestJob: StrikeRow['ingestJob'];
  readonly window: IngestWindow;
  workspaces: WorkspaceBook;
  workspacesReadMs: number;
  isAskingWorkspaces: boolean;
  /** Nodes that reach a set of workspaces, as last read; the key is the ids joined. */
  readonly reaching: Map<string, { readonly nodeIds: readonly number[]; readonly atMs: number }>;
  readonly asking: Set<string>;
  isDispatchDue: boolean;
  /** The question for facts that is open, by identity. */
  openFacts: object | null;
  isDeferredRunning: boolean;
  /** Turns of choice among nodes. */
  turn: number;
}

export function strikeStateOf(row: StrikeRow): StrikeState {
  const state: StrikeState = {
    id: row.id,
    life: {},
    // Validated when it was stored.
    configuration: row.configuration as unknown as StrikeConfiguration,
    workspaceId: row.workspaceId,
    isPaused: row.isPaused,
    deferredCursor: row.deferredCursor,
    job: { ...row.job },
    monitor: row.monitor,
    ingestJob: row.ingestJob,
    window: newWindow(row.hasMore),
    workspaces: workspaceBook(row.workspaces),
    workspacesReadMs: 0,
    isAskingWorkspaces: false,
    reaching: new Map(),
    asking: new Set(),
    isDispatchDue: false,
    openFacts: null,
    isDeferredRunning: false,
    turn: 0,
  };
  for (const ingest of row.live) admit(state.window, ingest);
  return state;
}

/** The state that the actors of strikes and scans have in common: their ingests, of which a window is in memory. */
import type { MonitorExecution } from '../job/job.ts';
import type { WorkspaceInfo } from '../node/node.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import type { IngestJobTemplate, IngestOwner, IngestState } from './ingest.ts';
import type { IngestRecipe } from './ingest-recipe.ts';
import type { IngestRule } from './ingest-rule.ts';
import { admit, type IngestWindow, newWindow } from './ingest-window.ts';

/** The active workspaces, by id, name and uuid. */
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

/** The part of a configuration that applies to each file. */
export interface IngestSettings {
  readonly files_to_ingest: readonly IngestRule[];
  /** Absent: ingested files start no recipe. */
  readonly recipe?: IngestRecipe;
}

export interface IngestOwnerState {
  readonly owner: IngestOwner;
  readonly configuration: IngestSettings;
  /** No ingest is started; those on nodes continue. */
  readonly isPaused: boolean;
  /** Its node ingests the files that it reaches, before other nodes. */
  readonly monitor: MonitorExecution | null;
  readonly ingestJob: IngestJobTemplate;
  readonly window: IngestWindow;
  workspaces: WorkspaceBook;
  workspacesReadMs: number;
  isAskingWorkspaces: boolean;
  /** Nodes that reach a set of workspaces, as last read; the key is the ids joined. */
  readonly reaching: Map<string, { readonly nodeIds: readonly number[]; readonly atMs: number }>;
  /** Keys of `reaching` that are being read. */
  readonly asking: Set<string>;
  isDispatchDue: boolean;
  /** The pending call for facts, by identity. */
  openFacts: object | null;
  /** Counter for round-robin choices of nodes and of sets of workspaces. */
  roundRobin: number;
}

/** The rows of the ingests of a strike or scan. */
export interface IngestOwnerRow {
  readonly id: number;
  /** Template of its ingest jobs (job type millrace-ingest, its newest revision). */
  readonly ingestJob: IngestJobTemplate;
  /** Those INGESTING, and the first `LIVE_INGESTS_MAX` live ones by id; some are in both sets. */
  readonly live: readonly IngestState[];
  /** Whether there are live ingests beyond those. */
  readonly hasMore: boolean;
  /** Every active workspace, for the rules. */
  readonly workspaces: readonly WorkspaceInfo[];
}

/** The part of a state that strikes and scans share, as it is after a load. */
export function ingestOwnerOf(kind: IngestOwner['kind'], row: IngestOwnerRow) {
  const window = newWindow(row.hasMore);
  for (const ingest of row.live) admit(window, ingest);
  return {
    owner: { kind, key: row.id },
    ingestJob: row.ingestJob,
    window,
    workspaces: workspaceBook(row.workspaces),
    workspacesReadMs: 0,
    isAskingWorkspaces: false,
    reaching: new Map(),
    asking: new Set<string>(),
    isDispatchDue: false,
    openFacts: null,
    roundRobin: 0,
  } satisfies Partial<IngestOwnerState>;
}

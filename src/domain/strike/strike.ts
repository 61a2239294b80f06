/** Strikes: rows and what their actor remembers. */
import type { IngestJobTemplate, IngestState } from '../ingest/ingest.ts';
import type { JobStatus } from '../job/job.ts';
import type { WorkspaceInfo } from '../node/node.ts';

export interface StrikePatch {
  readonly title?: string;
  readonly description?: string;
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly workspaceId?: number;
  readonly isPaused?: boolean;
  /** Ingests after this id are still to be tried against changed rules; null = done. */
  readonly deferredCursor?: number | null;
}

/** A running system execution: the strike's monitor. */
export interface MonitorExecution {
  readonly executionId: number;
  readonly exeNum: number;
  readonly nodeId: number;
}

/** A strike's row and what is live of it: what its actor loads. */
export interface StrikeRow {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly workspaceId: number;
  readonly isPaused: boolean;
  readonly deferredCursor: number | null;
  readonly job: { readonly id: number; readonly status: JobStatus; readonly exeNum: number };
  readonly monitor: MonitorExecution | null;
  /** Template of its ingest jobs (job type millrace-ingest, its newest revision). */
  readonly ingestJob: IngestJobTemplate;
  /** Those INGESTING, and the first `LIVE_INGESTS_MAX` live ones by id; some are in both. */
  readonly live: readonly IngestState[];
  /** Whether there are live ingests beyond those. */
  readonly hasMore: boolean;
  /** Every active workspace, for the rules. */
  readonly workspaces: readonly WorkspaceInfo[];
}

/** How many live ingests a strike holds in memory; the rest waits in rows. */
export const LIVE_INGESTS_MAX = 2_000;

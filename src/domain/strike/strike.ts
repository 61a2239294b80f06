/** Strikes: rows and what their actor remembers. */
import type { IngestOwnerRow } from '../ingest/ingest-owner.ts';
import type { MonitorExecution, SystemJob } from '../job/job.ts';
import type { ListingMark } from './bucket-listing.ts';

export interface StrikePatch {
  readonly title?: string;
  readonly description?: string;
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly workspaceId?: number;
  readonly isPaused?: boolean;
  /** Ingests after this id are still to be tried against changed rules; null = done. */
  readonly deferredCursor?: number | null;
}

/** A strike's row and what is live of it: what its actor loads. */
export interface StrikeRow extends IngestOwnerRow {
  readonly title: string;
  readonly description: string;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly workspaceId: number;
  readonly isPaused: boolean;
  readonly deferredCursor: number | null;
  readonly listing: ListingMark | null;
  readonly job: Readonly<SystemJob>;
  readonly monitor: MonitorExecution | null;
}

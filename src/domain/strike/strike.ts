/** Strikes: their rows and changes. */
import type { IngestOwnerRow } from '../ingest/ingest-owner.ts';
import type { MonitorExecution, SystemJob } from '../job/job.ts';
import type { ListingMark } from './bucket-listing.ts';
import type { StrikeConfiguration } from './strike-config.ts';

export interface StrikePatch {
  readonly title?: string;
  readonly description?: string;
  readonly configuration?: StrikeConfiguration;
  readonly workspaceId?: number;
  readonly isPaused?: boolean;
  /** Ingests after this id have not been tried against changed rules yet; null = done. */
  readonly deferredCursor?: number | null;
}

/** A strike's row and its live ingests: what its actor loads. */
export interface StrikeRow extends IngestOwnerRow {
  readonly title: string;
  readonly description: string;
  readonly configuration: StrikeConfiguration;
  readonly workspaceId: number;
  readonly isPaused: boolean;
  readonly deferredCursor: number | null;
  readonly listing: ListingMark | null;
  readonly job: Readonly<SystemJob>;
  readonly monitor: MonitorExecution | null;
}

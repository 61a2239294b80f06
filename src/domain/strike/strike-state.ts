/**
 * The state of a strike's actor: configuration, monitor, reports that wait for their commit, and its window of ingests.
 */
import { type IngestOwnerState, ingestOwnerOf } from '../ingest/ingest-owner.ts';
import type { MonitorExecution, SystemJob } from '../job/job.ts';
import { type BucketListing, bucketListingOf } from './bucket-listing.ts';
import type { StrikeRow } from './strike.ts';
import type { StrikeConfiguration } from './strike-config.ts';

export interface StrikeState extends IngestOwnerState {
  readonly id: number;
  configuration: StrikeConfiguration;
  workspaceId: number;
  isPaused: boolean;
  deferredCursor: number | null;
  readonly job: SystemJob;
  monitor: MonitorExecution | null;
  /** The listing of a bucket by the monitor's node. */
  readonly listing: BucketListing;
  isDeferredRunning: boolean;
}

export function strikeStateOf(row: StrikeRow): StrikeState {
  return {
    ...ingestOwnerOf('strike', row),
    id: row.id,
    // Validated when it was stored.
    configuration: row.configuration,
    workspaceId: row.workspaceId,
    isPaused: row.isPaused,
    deferredCursor: row.deferredCursor,
    job: { ...row.job },
    monitor: row.monitor,
    listing: bucketListingOf(row.listing),
    isDeferredRunning: false,
  };
}

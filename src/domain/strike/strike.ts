/**
 * Strikes: their rows and changes, how far the listing of a bucket is, and the state of a strike's actor
 * (configuration, monitor, reports that wait for their commit, its window of ingests).
 */

import { type IngestOwnerRow, type IngestOwnerState, ingestOwnerOf } from '../ingest/ingest-owner.ts';
import { newQueue, type PageQueue } from '../ingest/page-queue.ts';
import type { MonitorExecution, SystemJob } from '../job/job.ts';
import type { Labels } from '../labels.ts';
import type { WorkspaceInfo } from '../node/node.ts';
import type { StrikeConfiguration } from './strike-config.ts';

export interface StrikePatch {
  readonly title?: string;
  readonly description?: string;
  readonly labels?: Labels;
  readonly configuration?: StrikeConfiguration;
  readonly workspaceId?: number;
  readonly isPaused?: boolean;
  /** Deferred ingests above this id have not been matched with the changed rules yet; null = done. */
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

/** Saved with each page, so that no key is listed twice after a restart. */
export interface ListingMark {
  /** The bucket; the mark of another bucket does not count. */
  readonly place: string;
  /** All keys up to this one are recorded; '' when the listing is complete. */
  readonly through: string;
  /** When the next listing begins. */
  readonly dueMs: number;
}

export interface BucketListing {
  isRunning: boolean;
  place: string;
  /** Committed through this key; '' from the start. */
  through: string;
  queue: PageQueue;
  /** When the next listing begins, or this one continues. */
  nextMs: number;
  /** Consecutive failures. */
  failureCount: number;
  /** The time when it was restarted because its pages did not follow each other. */
  restartedMs: number;
  /** The time when it was requested, or when its last page came. */
  activeMs: number;
}

function bucketListingOf(mark: ListingMark | null): BucketListing {
  const { place, through, dueMs } = mark ?? { place: '', through: '', dueMs: 0 };
  const counts = { failureCount: 0, restartedMs: 0, activeMs: 0 };
  return { isRunning: false, place, through, queue: newQueue(through), nextMs: dueMs, ...counts };
}

/** Identifies the bucket of a workspace; '' for other workspaces. */
export function bucketPlace({ configuration }: WorkspaceInfo): string {
  const { broker } = configuration as {
    readonly broker?: { readonly bucket_name?: string; readonly endpoint?: string };
  };
  return broker?.bucket_name === undefined ? '' : `${broker.endpoint ?? ''}/${broker.bucket_name}`;
}

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
  /** Deferred ingests are being matched with changed rules. */
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

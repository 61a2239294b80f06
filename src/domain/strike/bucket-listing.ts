/** The progress of the listing of a strike's bucket: in memory, and the part that its row keeps. */
import { newQueue, type PageQueue } from '../ingest/page-queue.ts';
import type { WorkspaceInfo } from '../node/node.ts';

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
  heardMs: number;
}

export function bucketListingOf(mark: ListingMark | null): BucketListing {
  const { place, through, dueMs } = mark ?? { place: '', through: '', dueMs: 0 };
  const counts = { failureCount: 0, restartedMs: 0, heardMs: 0 };
  return { isRunning: false, place, through, queue: newQueue(through), nextMs: dueMs, ...counts };
}

/** Identifies the bucket of a workspace; '' for other workspaces. */
export function bucketPlace({ configuration }: WorkspaceInfo): string {
  const { broker } = configuration as {
    readonly broker?: { readonly bucket_name?: string; readonly endpoint?: string };
  };
  return broker?.bucket_name === undefined ? '' : `${broker.endpoint ?? ''}/${broker.bucket_name}`;
}

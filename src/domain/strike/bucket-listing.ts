/** How far the listing of a strike's bucket has come: in memory, and what its row keeps of that. */
import { newQueue, type PageQueue } from '../ingest/page-queue.ts';
import type { WorkspaceInfo } from '../node/node.ts';

/** Saved with each page, so that whoever goes on lists no key twice. */
export interface ListingMark {
  /** The bucket: a mark of another one says nothing. */
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
  /** When the next one begins, or this one goes on. */
  nextMs: number;
  /** How many failed, one after the other. */
  failureCount: number;
  /** When it was begun again because its pages did not follow. */
  restartedMs: number;
  /** When it was ordered, or a page of it came. */
  heardMs: number;
}

export function bucketListingOf(mark: ListingMark | null): BucketListing {
  const { place, through, dueMs } = mark ?? { place: '', through: '', dueMs: 0 };
  const counts = { failureCount: 0, restartedMs: 0, heardMs: 0 };
  return { isRunning: false, place, through, queue: newQueue(through), nextMs: dueMs, ...counts };
}

/** Which bucket a workspace is, '' for one that is none. */
export function bucketPlace({ configuration }: WorkspaceInfo): string {
  const { broker } = configuration as {
    readonly broker?: { readonly bucket_name?: string; readonly endpoint?: string };
  };
  return broker?.bucket_name === undefined ? '' : `${broker.endpoint ?? ''}/${broker.bucket_name}`;
}

/** What a strike is told. */
import type { SeenObject } from '../../domain/strike/s3-event.ts';
import type {
  CancelJobs,
  FilesListed,
  FilesSeenByMonitor,
  IngestsEnded,
  RequeueJobs,
  TaskEnded,
  WorkMissing,
} from '../owner.messages.ts';

export function strikeAddress(strikeId: number): { readonly kind: 'strike'; readonly key: string } {
  return { kind: 'strike', key: String(strikeId) };
}

export type StrikeMessage =
  | FilesSeenByMonitor
  | FilesListed
  /**
   * Asked by readers of queues, at most a few thousand objects. Answered `{ files }` after the commit: how many are in
   * the watched bucket. Refused STATE_CONFLICT by a strike that takes none now.
   */
  | { readonly type: 'notified'; readonly objects: readonly SeenObject[] }
  | IngestsEnded
  | TaskEnded
  | CancelJobs
  | RequeueJobs
  | WorkMissing
  | {
      readonly type: 'ingestsProgressed';
      readonly ingests: readonly { readonly ingestId: number; readonly bytesTransferred: number }[];
    }
  /** Asked by HTTP, already validated; answered `{}`. */
  | {
      readonly type: 'edit';
      readonly title?: string;
      readonly description?: string;
      readonly configuration?: Readonly<Record<string, unknown>>;
      readonly workspaceId?: number;
      readonly isPaused?: boolean;
    }
  /** Sent by the sweep: the node of this monitor has lost the workspace, another reaches it. */
  | { readonly type: 'monitorLost'; readonly executionId: number }
  /** A wake-up: the strike reads them again by itself every minute. */
  | { readonly type: 'workspacesChanged' }
  /** Sent after its rows were made, and by the sweep. */
  | { readonly type: 'wake' };

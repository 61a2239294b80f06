/** What a strike is told. */
import type {
  CancelJobs,
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
  /** A wake-up: the strike reads them again by itself every minute. */
  | { readonly type: 'workspacesChanged' }
  /** Sent after its rows were made, and by the sweep. */
  | { readonly type: 'wake' };

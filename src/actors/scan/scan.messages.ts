/** What a scan is told. */
import type { ScanMode } from '../../domain/scan/scan.ts';
import type {
  CancelJobs,
  FilesListed,
  IngestsEnded,
  RequeueJobs,
  TaskEnded,
  WorkMissing,
} from '../owner.messages.ts';

export function scanAddress(scanId: number): { readonly kind: 'scan'; readonly key: string } {
  return { kind: 'scan', key: String(scanId) };
}

export type ScanMessage =
  | FilesListed
  | IngestsEnded
  | TaskEnded
  | CancelJobs
  | RequeueJobs
  | WorkMissing
  | {
      readonly type: 'ingestsProgressed';
      readonly ingests: readonly { readonly ingestId: number; readonly bytesTransferred: number }[];
    }
  /** Asked by HTTP; answered `{}`: begun, or it waits for what is under way. */
  | { readonly type: 'process'; readonly mode: ScanMode }
  /** Asked by HTTP; answered `{ jobIds }`: all jobs whose end is wanted, the scan's own last. */
  | { readonly type: 'cancel' }
  /** Asked by HTTP, already validated; answered `{}`. */
  | {
      readonly type: 'edit';
      readonly title?: string;
      readonly description?: string;
      readonly configuration?: Readonly<Record<string, unknown>>;
      readonly workspaceId?: number;
    }
  /** A wake-up: the scan reads them again by itself every minute. */
  | { readonly type: 'workspacesChanged' }
  /** Sent by the sweep. */
  | { readonly type: 'wake' };

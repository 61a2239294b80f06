/** Messages to a scan. */

import type { Labels } from '../../domain/labels.ts';
import type { ScanMode } from '../../domain/scan/scan.ts';
import type { ScanConfiguration } from '../../domain/scan/scan-config.ts';
import { type Address, type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';
import type {
  CancelJobs,
  FilesListed,
  IngestsEnded,
  IngestsProgressed,
  RequeueJobs,
  TaskEnded,
  WorkMissing,
} from '../owner.messages.ts';

export function scanAddress(scanId: number): Address<ScanMessage> {
  return address('scan', String(scanId));
}

export type ScanMessage =
  | FilesListed
  | IngestsEnded
  | TaskEnded
  | CancelJobs
  | RequeueJobs
  | WorkMissing
  | IngestsProgressed
  /** An ask of the interface. Answered when the run has begun, or waits for the present one. */
  | (AnsweredWith<Confirmed> & { readonly type: 'process'; readonly mode: ScanMode })
  /** An ask of the interface. Answered with all jobs that are being ended, the scan's own last. */
  | (AnsweredWith<{ readonly jobIds: readonly number[] }> & { readonly type: 'cancel' })
  /** An ask of the interface, already validated. */
  | (AnsweredWith<Confirmed> & {
      readonly type: 'edit';
      readonly title?: string;
      readonly description?: string;
      readonly labels?: Labels;
      readonly configuration?: ScanConfiguration;
      readonly workspaceId?: number;
    })
  /** A wake-up; poll: the scan reads workspaces again every minute. */
  | { readonly type: 'workspacesChanged' }
  /** Sent by the reconciliation. */
  | { readonly type: 'wake' }
  /** Its row was deleted or brought back, so the state in memory is dropped. */
  | (AnsweredWith<Confirmed> & { readonly type: 'reload' });

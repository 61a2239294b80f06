/** Messages to a strike. */

import type { Labels } from '../../domain/labels.ts';
import type { SeenObject } from '../../domain/notification/s3-event.ts';
import type { StrikeConfiguration } from '../../domain/strike/strike-config.ts';
import { type Address, type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';
import type {
  CancelJobs,
  FilesListed,
  FilesSeenByMonitor,
  IngestsEnded,
  IngestsProgressed,
  RequeueJobs,
  TaskEnded,
  WorkMissing,
} from '../owner.messages.ts';

export function strikeAddress(strikeId: number): Address<StrikeMessage> {
  return address('strike', String(strikeId));
}

export type StrikeMessage =
  | FilesSeenByMonitor
  | FilesListed
  /**
   * An ask of readers of queues, with at most a few thousand objects. Answered after the commit with the number of
   * objects in the watched bucket. Refused with STATE_CONFLICT by a strike that accepts none at present.
   */
  | (AnsweredWith<{ readonly files: number }> & {
      readonly type: 'notified';
      readonly objects: readonly SeenObject[];
    })
  | IngestsEnded
  | TaskEnded
  | CancelJobs
  | RequeueJobs
  | WorkMissing
  | IngestsProgressed
  /** An ask of the interface, already validated. */
  | (AnsweredWith<Confirmed> & {
      readonly type: 'edit';
      readonly title?: string;
      readonly description?: string;
      readonly labels?: Labels;
      readonly configuration?: StrikeConfiguration;
      readonly workspaceId?: number;
      readonly isPaused?: boolean;
    })
  /** Sent by the reconciliation: the node of this monitor no longer reaches the workspace, but another does. */
  | { readonly type: 'monitorLost'; readonly executionId: number }
  /** A wake-up; poll: the strike reads workspaces again every minute. */
  | { readonly type: 'workspacesChanged' }
  /** Sent after its rows were created, and by the reconciliation. */
  | { readonly type: 'wake' }
  /** Its row was deleted or brought back, so the state in memory is dropped. */
  | (AnsweredWith<Confirmed> & { readonly type: 'reload' });

/**
 * Messages to the scheduler. All but `edit` are wake-ups: rows have the same facts, and a resynchronisation reads them.
 * `queueing` comes before there are rows, as a hint.
 */
import type { SchedulerPatch } from '../../domain/changes.ts';
import type { QueuedEntry } from '../../domain/job/queueing.ts';
import type { NodeView } from '../../domain/scheduling/snapshot.ts';
import type { EndOfExecution } from '../../domain/scheduling/work-ahead.ts';
import { type AnsweredWith, address, type Confirmed } from '../../kernel/mod.ts';

/** There is one scheduler in a cluster. */
export const SCHEDULER = address<SchedulerMessage>('scheduler', 'main');

export type SchedulerMessage =
  | { readonly type: 'queued'; readonly jobs: readonly QueuedEntry[] }
  /** Their owner is about to queue them; `queued` follows its commit. */
  | { readonly type: 'queueing'; readonly jobs: readonly QueuedEntry[] }
  | {
      readonly type: 'ended';
      /** What is known of the end is absent from coordinators of earlier versions. */
      readonly items: readonly (EndOfExecution & { readonly executionId: number; readonly nodeId: number })[];
    }
  | { readonly type: 'nodeChanged'; readonly node: NodeView }
  /** Asked by HTTP; answered after the commit. */
  | (AnsweredWith<Confirmed> & { readonly type: 'edit'; readonly patch: SchedulerPatch })
  /** A job type was paused, limited or changed: read limits again. */
  | { readonly type: 'typesChanged' }
  | { readonly type: 'wake' };

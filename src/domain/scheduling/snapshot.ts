/** What scheduling sees of the cluster, read from rows when the scheduler is activated and when it repairs itself. */
import type { JobOwner } from '../job/job.ts';
import type { Resources, SchedulingClass } from './scheduling-class.ts';

export type QueueMode = 'FIFO' | 'LIFO';

export interface SchedulerSettings {
  readonly isPaused: boolean;
  readonly queueMode: QueueMode;
  /** Parallel commit lanes of a coordinator (`num_message_handlers`). */
  readonly messageHandlerCount: number;
  readonly loggingLevel: string;
}

/** A job type as far as it limits scheduling. */
export interface TypeLimit {
  readonly jobTypeId: number;
  readonly isPaused: boolean;
  /** Most jobs of the type at once; null = no limit. */
  readonly maxScheduled: number | null;
  readonly unmet: string | null;
}

/** A node that an agent represents now. */
export interface NodeView {
  readonly nodeId: number;
  /** Absent from coordinators of earlier versions. */
  readonly hostname?: string;
  /** Takes new jobs: online, active, not paused, not degraded. */
  readonly isReady: boolean;
  /** Given to jobs in all, running ones included. */
  readonly total: Resources;
  readonly executors: readonly string[];
  readonly workspaceIds: readonly number[];
}

export interface RunningExecution {
  readonly executionId: number;
  readonly nodeId: number;
  readonly jobTypeId: number;
  readonly resources: Resources;
}

export interface QueuedJob {
  readonly jobId: number;
  readonly exeNum: number;
  readonly priority: number;
  readonly queuedMs: number;
  /** From when on it may be placed; absent: at once. */
  readonly notBeforeMs?: number;
  readonly owner: JobOwner;
}

/** The head of one class, best first. `isWhole`: nothing of the class is queued beyond it. */
export interface ClassHead {
  readonly class: SchedulingClass;
  readonly jobs: readonly QueuedJob[];
  readonly isWhole: boolean;
}

export interface SchedulerSnapshot {
  readonly settings: SchedulerSettings;
  /** Types that are paused, limited, or have unmet resources; others have no entry. */
  readonly types: readonly TypeLimit[];
  readonly nodes: readonly NodeView[];
  readonly running: readonly RunningExecution[];
  /** Classes with queued jobs. Their heads are read one by one when they are needed. */
  readonly classes: readonly SchedulingClass[];
  /** Why no node could run them, as it is saved, of those that wait so. Absent: what is remembered counts. */
  readonly unmetClasses?: ReadonlyMap<string, string>;
}

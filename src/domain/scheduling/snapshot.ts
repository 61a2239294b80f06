/** The scheduler's view of the cluster, read from rows when the scheduler is loaded and when it repairs itself. */
import type { JobOwner } from '../job/job.ts';
import type { Resources, SchedulingClass } from './scheduling-class.ts';

export type QueueMode = 'FIFO' | 'LIFO';

export interface SchedulerSettings {
  readonly isPaused: boolean;
  readonly queueMode: QueueMode;
  /** Concurrent commits of a coordinator (`num_message_handlers`). */
  readonly messageHandlerCount: number;
  readonly loggingLevel: string;
}

/** The limits of a job type for scheduling. */
export interface TypeLimit {
  readonly jobTypeId: number;
  readonly isPaused: boolean;
  /** limit: jobs of the type at once; null = none. */
  readonly maxScheduled: number | null;
  readonly unmet: string | null;
}

/** A node with a connected agent. */
export interface NodeView {
  readonly nodeId: number;
  /** Absent from coordinators of earlier versions. */
  readonly hostname?: string;
  /** Takes new jobs: online, active, not paused, not degraded. */
  readonly isReady: boolean;
  /** Total resources for jobs, including those of running ones. */
  readonly total: Resources;
  readonly executors: readonly string[];
  readonly workspaceIds: readonly number[];
  /** Its agent lets launches wait for room; absent from coordinators of earlier versions: no. */
  readonly takesWorkAhead?: boolean;
}

export interface RunningExecution {
  readonly executionId: number;
  readonly nodeId: number;
  readonly jobTypeId: number;
  readonly resources: Resources;
  /** When it was placed, as rows have it; absent: just now. */
  readonly startedMs?: number;
}

export interface QueuedJob {
  readonly jobId: number;
  readonly exeNum: number;
  readonly priority: number;
  readonly queuedMs: number;
  /** The earliest time of its placement; absent: at once. */
  readonly notBeforeMs?: number;
  readonly owner: JobOwner;
}

/** The first jobs of one class, in order. `isWhole`: no job of the class is queued beyond them. */
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
  /** Classes with queued jobs. Their heads are read when they are needed. */
  readonly classes: readonly SchedulingClass[];
  /** Why no node could run a class, as saved, for those that wait. Absent: the scheduler's memory is kept. */
  readonly unmetClasses?: ReadonlyMap<string, string>;
}

/** Figures of the whole cluster, which one coordinator reports. The others report only their own. */

export interface ClusterFigures {
  /** Jobs that are not superseded, by type and status. */
  readonly jobs: readonly JobFigure[];
  readonly ingests: readonly { readonly status: string; readonly count: number }[];
  readonly recipes: readonly { readonly isCompleted: boolean; readonly count: number }[];
  /** Seconds since the job that waits longest was queued, of types that are not paused; 0: none waits. */
  readonly oldestQueuedS: number;
  readonly isSchedulerPaused: boolean;
  /** The number of active job types that need resources that no node has. */
  readonly unmetTypes: number;
  readonly coordinators: number;
  readonly nodes: readonly NodeFigures[];
  readonly database: DatabaseFigures;
}

export interface JobFigure {
  /** `other`, with an empty version, for the types beyond the first `JOB_TYPES_SHOWN`. */
  readonly name: string;
  readonly version: string;
  readonly status: string;
  readonly count: number;
}

export interface NodeFigures {
  readonly hostname: string;
  readonly isActive: boolean;
  readonly isOnline: boolean;
  readonly isPaused: boolean;
  /** The node's total resources for jobs, by name. */
  readonly total: Readonly<Record<string, number>>;
  /** The resources that its running executions hold. */
  readonly held: Readonly<Record<string, number>>;
  /** Running executions, by job type. */
  readonly running: readonly { readonly count: number }[];
}

interface DatabaseFigures {
  readonly bytes: number;
  /** Connections of all programs to this database, and the server's limit. */
  readonly connections: number;
  readonly connectionsMax: number;
}

/** limit: job types with figures of their own, those with the most jobs. */
export const JOB_TYPES_SHOWN = 200;

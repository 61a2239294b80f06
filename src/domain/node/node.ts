/** Nodes: hosts that run tasks, as their actor and the scheduler see them. */
import type { JobOwner } from '../job/job.ts';
import type { Resources } from '../scheduling/scheduling-class.ts';
import type { HostReport } from './agent-messages.ts';

/** A condition of a node that people should see: an error makes it DEGRADED. */
export interface NodeCondition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly startedMs: number;
  readonly lastUpdatedMs: number;
}

export interface NodePatch {
  readonly agentId?: string;
  readonly bootId?: string;
  readonly version?: string;
  readonly pauseReason?: string | null;
  readonly isPaused?: boolean;
  readonly isActive?: boolean;
  readonly isOnline?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly resources?: Resources;
  readonly executors?: readonly string[];
  readonly takesWorkAhead?: boolean;
  readonly errors?: readonly NodeCondition[];
  readonly warnings?: readonly NodeCondition[];
  readonly host?: HostReport;
  readonly lastSeenMs?: number;
}

export interface WorkspaceReach {
  readonly workspaceId: number;
  readonly isReachable: boolean;
  readonly reason: string | null;
}

/** The last saved check, even if the workspace has changed since. */
export interface KnownReach extends WorkspaceReach {
  /** The workspace is deactivated: no job that needs it is started. */
  readonly isDeactivated: boolean;
}

/** An execution that is RUNNING on a node, as stored. */
export interface AssignedExecution {
  readonly executionId: number;
  readonly jobId: number;
  readonly exeNum: number;
  /** Actor that owns the job. */
  readonly owner: JobOwner;
  /** Its kind for the agent: a container task, a strike's monitor, a scan's listing, or the ingest of a file. */
  readonly work: 'task' | 'monitor' | 'listing' | 'ingest';
}

/** A workspace that agents may be asked about. */
export interface WorkspaceInfo {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** The broker's document, with what the agent needs to reach it. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly isActive: boolean;
  readonly claimedNodeId: number | null;
}

/** A node's row and its executions: what its actor loads. */
export interface NodeRow {
  readonly id: number;
  readonly hostname: string;
  readonly agentId: string | null;
  /** The boot of the host in which all executions that the agent may know of were launched; '' or null: unknown. */
  readonly bootId: string | null;
  readonly pauseReason: string | null;
  readonly isPaused: boolean;
  readonly isActive: boolean;
  readonly isOnline: boolean;
  readonly resources: Resources;
  readonly executors: readonly string[];
  /** Its agent lets launches wait for room. */
  readonly takesWorkAhead: boolean;
  readonly errors: readonly NodeCondition[];
  readonly warnings: readonly NodeCondition[];
  /** Null until its agent has reported it. */
  readonly host: HostReport | null;
  readonly executions: readonly AssignedExecution[];
  readonly reach: readonly KnownReach[];
}

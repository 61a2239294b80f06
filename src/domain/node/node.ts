/** Nodes: hosts that run tasks, as their actor and the scheduler see them. */
import type { Resources } from '../scheduling/scheduling-class.ts';

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
  readonly version?: string;
  readonly pauseReason?: string | null;
  readonly isPaused?: boolean;
  readonly isActive?: boolean;
  readonly isOnline?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly resources?: Resources;
  readonly executors?: readonly string[];
  readonly errors?: readonly NodeCondition[];
  readonly warnings?: readonly NodeCondition[];
  readonly lastSeenMs?: number;
}

export interface WorkspaceReach {
  readonly workspaceId: number;
  readonly isReachable: boolean;
  readonly reason: string | null;
}

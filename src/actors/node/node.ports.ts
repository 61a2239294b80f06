/** The ports of a node's actor. */
import type { CoordinatorMessage, Launch } from '../../domain/node/coordinator-messages.ts';
import type { AssignedExecution, NodeRow, WorkspaceInfo } from '../../domain/node/node.ts';
import type { ErrorRef } from '../../domain/task/task-result.ts';

/** Launches of executions that are still RUNNING; and those that cannot be built, with the reason. */
export interface LaunchSpecs {
  readonly launches: readonly Launch[];
  readonly failed: readonly {
    readonly executionId: number;
    readonly error: ErrorRef & { readonly detail: string };
  }[];
}

export interface NodePorts {
  loadNodes(nodeIds: readonly number[]): Promise<ReadonlyMap<number, NodeRow>>;
  /** Nodes of these shards whose rows are online or have running executions. */
  dueNodes(shards: readonly number[]): Promise<readonly number[]>;
  /** Running executions on the node, from rows. */
  assignedTo(nodeId: number): Promise<readonly AssignedExecution[]>;
  /** Those of the executions that have no row. */
  unknownExecutions(executionIds: readonly number[]): Promise<readonly number[]>;
  launchSpecs(executionIds: readonly number[]): Promise<LaunchSpecs>;
  activeWorkspaces(): Promise<readonly WorkspaceInfo[]>;
  /** Hands messages to the agent's session, if it is open here. Never waits for the agent. */
  send(args: { readonly sessionId: string; readonly messages: readonly CoordinatorMessage[] }): Promise<void>;
  /** Ends a session that the actor does not know. */
  dropSession(args: { readonly sessionId: string }): Promise<void>;
  loggingLevel(): Promise<string>;
}

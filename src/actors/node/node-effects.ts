/** Shared by the handlers of a node: types, saving a patch, and sending to the agent. */
import type { Change, ClaimResult } from '../../domain/changes.ts';
import type { CoordinatorMessage } from '../../domain/node/coordinator-messages.ts';
import type { AssignedExecution, NodePatch, WorkspaceInfo } from '../../domain/node/node.ts';
import { applyPatch, type NodeState, viewOf } from '../../domain/node/node-state.ts';
import {
  type Ctx,
  call,
  type Done,
  type Effect,
  type Failed,
  type Outcome,
  portsOf,
  type Saved,
  save,
  type TellEffect,
  tell,
} from '../../kernel/mod.ts';
import { SCHEDULER } from '../scheduler/scheduler.messages.ts';
import type { LaunchSpecs, NodePorts } from './node.ports.ts';

/** An outcome for an ended session is ignored. */
export interface OfSession {
  readonly sessionId: string;
}

interface OfExecutions {
  readonly executionIds: readonly number[];
}

/** Outcomes of the node's calls, timers and saves. */
export type NodeReturn =
  | { readonly type: 'watchDue' }
  | { readonly type: 'orderDue' }
  | Saved<'workspacesClaimed', ClaimResult>
  | Done<'launchesBuilt', LaunchSpecs, OfSession>
  | Failed<'launchSpecsFailed', OfSession>
  | Done<'messagesSent', void, OfSession>
  | Failed<'sendFailed', OfSession>
  | Done<'executionsRead', readonly AssignedExecution[]>
  | Failed<'assignedToFailed'>
  | { readonly type: 'unknownDue'; readonly executionIds: readonly number[] }
  | Done<'unknownRead', readonly number[], OfExecutions>
  | Failed<'unknownExecutionsFailed', OfExecutions>
  | Done<'formerRead', readonly AssignedExecution[], OfSession>
  | Failed<'formerFailed', OfSession>
  | Done<'workspacesRead', readonly WorkspaceInfo[]>
  | Failed<'activeWorkspacesFailed'>
  | Done<'loggingLevelRead', string>
  | Failed<'loggingLevelFailed'>
  | Done<'sessionDropped', void>
  | Failed<'dropSessionFailed'>;
export type NodeOutcome = Outcome<NodeState, Change, NodeReturn>;
export type NodeEffect = Effect<Change, NodeReturn>;

export const nodePorts = portsOf<NodePorts>();

/** Saves a patch, applies it in memory, and sends the state of the node to the scheduler. */
export function change(state: NodeState, patch: NodePatch, ctx: Ctx): readonly NodeEffect[] {
  applyPatch(state, patch);
  return [save({ type: 'saveNode', nodeId: state.id, patch, atMs: ctx.nowMs }), announce(state)];
}

// poll: the scheduler reads nodes again at each resynchronisation.
export function announce(state: NodeState): TellEffect {
  return tell(SCHEDULER, { type: 'nodeChanged', node: viewOf(state) });
}

/**
 * Sends over the open session, in order. Without a session nothing is sent, because the next hello reconciles. One call
 * runs at a time: messages that come meanwhile go together with the next call, however many a turn has.
 */
export function send(state: NodeState, messages: readonly CoordinatorMessage[]): readonly NodeEffect[] {
  const { session } = state;
  if (session === null || messages.length === 0) return [];
  if (session.isSending) {
    for (const message of messages) session.waiting.push(message);
    return [];
  }
  session.isSending = true;
  const about = { sessionId: session.id };
  const outcomes = { done: 'messagesSent', failed: 'sendFailed', evenIfReloaded: true, about } as const;
  return [call(nodePorts.send, { sessionId: session.id, messages }, outcomes)];
}

/** The messages were handed over: those that waited behind them follow. */
export function sent(state: NodeState, sessionId: string): readonly NodeEffect[] {
  const { session } = state;
  if (session === null || session.id !== sessionId) return [];
  session.isSending = false;
  const messages = session.waiting;
  session.waiting = [];
  return send(state, messages);
}

/** The session is unknown to this state (which was loaded again, or gave it up): the agent must send a new hello. */
export function drop(state: NodeState, sessionId: string): readonly NodeEffect[] {
  if (state.droppedSessionId === sessionId) return [];
  state.droppedSessionId = sessionId;
  return [
    call(nodePorts.dropSession, { sessionId }, { done: 'sessionDropped', failed: 'dropSessionFailed' }),
  ];
}

/** What the handlers of a node share: their types, saving a patch, and speaking to the agent. */
import type { Change } from '../../domain/changes.ts';
import type { CoordinatorMessage } from '../../domain/node/coordinator-messages.ts';
import type { NodePatch } from '../../domain/node/node.ts';
import { applyPatch, type NodeState, viewOf } from '../../domain/node/node-state.ts';
import { type Ctx, call, type Effect, type Outcome, save, tell } from '../../kernel/mod.ts';
import { SCHEDULER } from '../scheduler/scheduler.messages.ts';

/** `sessionId`: an answer for a session that is gone counts for nothing. */
export type NodeTag =
  | { readonly about: 'launches'; readonly sessionId: string }
  | { readonly about: 'sent'; readonly sessionId: string }
  | { readonly about: 'dropped' }
  /** `checking`: by which the state knows its own question from one of an earlier life. */
  | { readonly about: 'executions'; readonly checking: object }
  | { readonly about: 'workspaces' }
  | { readonly about: 'level' }
  | { readonly about: 'claims' };
export type NodeOutcome = Outcome<NodeState, Change>;
export type NodeEffect = Effect<Change>;

/** Saves a patch, takes it into memory, and tells the scheduler what the node is now. */
export function change(state: NodeState, patch: NodePatch, ctx: Ctx): readonly NodeEffect[] {
  applyPatch(state, patch);
  return [save({ type: 'saveNode', nodeId: state.id, patch, atMs: ctx.nowMs }), announce(state)];
}

// poll: the scheduler reads nodes again at each resynchronisation.
export function announce(state: NodeState): Effect<never> {
  return tell(SCHEDULER, { type: 'nodeChanged', node: viewOf(state) });
}

/**
 * Sends over the open session, in order; without one nothing is sent: the next hello reconciles. One call at a time:
 * what is said meanwhile goes together with the next, however many messages ask for it in one turn.
 */
export function send(state: NodeState, messages: readonly CoordinatorMessage[]): readonly NodeEffect[] {
  const { session } = state;
  if (session === null || messages.length === 0) return [];
  if (session.isSending) {
    for (const message of messages) session.waiting.push(message);
    return [];
  }
  session.isSending = true;
  const tag: NodeTag = { about: 'sent', sessionId: session.id };
  return [call('send', { sessionId: session.id, messages }, tag)];
}

/** What was sent is handed over: what waited behind it follows. */
export function sent(state: NodeState, sessionId: string): readonly NodeEffect[] {
  const { session } = state;
  if (session === null || session.id !== sessionId) return [];
  session.isSending = false;
  const messages = session.waiting;
  session.waiting = [];
  return send(state, messages);
}

/** A session this actor knows nothing of (it was loaded again, or had given it up): the agent must greet anew. */
export function drop(state: NodeState, sessionId: string): readonly NodeEffect[] {
  if (state.droppedSessionId === sessionId) return [];
  state.droppedSessionId = sessionId;
  return [call('dropSession', { sessionId }, { about: 'dropped' } satisfies NodeTag)];
}

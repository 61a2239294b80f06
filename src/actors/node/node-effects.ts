/** What the handlers of a node share: their types, saving a patch, and sending to the agent. */
import type { Change } from '../../domain/changes.ts';
import type { CoordinatorMessage } from '../../domain/node/coordinator-messages.ts';
import type { NodePatch } from '../../domain/node/node.ts';
import { applyPatch, type NodeState, viewOf } from '../../domain/node/node-state.ts';
import { type Ctx, call, type Effect, type Outcome, save, tell } from '../../kernel/mod.ts';
import { SCHEDULER } from '../scheduler/scheduler.messages.ts';

export type NodeTag =
  | { readonly about: 'launches' }
  | { readonly about: 'sent' }
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

/** Sends over the open session; without one nothing is sent: the next hello reconciles. */
export function send(state: NodeState, messages: readonly CoordinatorMessage[]): readonly NodeEffect[] {
  if (state.session === null || messages.length === 0) return [];
  return [call('send', { sessionId: state.session.id, messages }, { about: 'sent' } satisfies NodeTag)];
}

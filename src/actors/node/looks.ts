/**
 * Looks at places that may become workspaces, passed to the agent and answered when it has looked. Nothing is kept but
 * who asked: a look changes nothing, whoever gets no answer takes that for one.
 */
import type { WorkspaceSeen } from '../../domain/node/agent-messages.ts';
import type { NodeState } from '../../domain/node/node-state.ts';
import { askerOf, type Ctx, type ReplyTo, refuse, reply, stay } from '../../kernel/mod.ts';
import type { NodeMessage } from './node.messages.ts';
import { type NodeOutcome, send } from './node-effects.ts';

/** limit: unanswered looks of one agent; the oldest is forgotten. */
const OPEN_MAX = 100;

type LookMessage = Extract<NodeMessage, { type: 'lookAt' }>;

export function lookAt(state: NodeState, message: LookMessage, ctx: Ctx): NodeOutcome {
  const { requestId, workspace } = message;
  const replyTo = askerOf(message, ctx);
  if (replyTo === undefined) return stay(state);
  const { session } = state;
  if (session === null) {
    const text = `no agent speaks for the node '${state.hostname}'`;
    return stay(state, refuse(replyTo, { code: 'AGENT_UNAVAILABLE', message: text }));
  }
  const [oldest] = session.looks.keys();
  if (session.looks.size >= OPEN_MAX && oldest !== undefined) session.looks.delete(oldest);
  session.looks.set(requestId, replyTo);
  return stay(state, ...send(state, [{ type: 'lookAtWorkspace', requestId, workspace }]));
}

/** poll: an answer that nobody waits for any more is dropped. */
export function workspaceSeen(state: NodeState, answer: WorkspaceSeen): NodeOutcome {
  const { session } = state;
  const asked = session?.looks.get(answer.requestId) as ReplyTo<WorkspaceSeen> | undefined;
  if (asked === undefined) return stay(state);
  session?.looks.delete(answer.requestId);
  return stay(state, reply(asked, answer));
}

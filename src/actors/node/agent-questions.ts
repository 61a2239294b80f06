/**
 * Questions that somebody has for the agent of a node: they are passed on, and answered when the agent answers. Nothing
 * is kept but who asked.
 */
import type { CoordinatorMessage } from '../../domain/node/coordinator-messages.ts';
import type { NodeSession, NodeState } from '../../domain/node/node-state.ts';
import { type KernelFailure, type ReplyTo, refuse, reply, stay } from '../../kernel/mod.ts';
import { type NodeOutcome, send } from './node-effects.ts';

/** limit: unanswered questions of one kind to one agent; the oldest is forgotten. */
const OPEN_MAX = 100;

/** Where a session keeps those who asked. */
type Asked = 'looks' | 'deletions';

/** What the agent is told, or why it cannot be asked. */
export type Question = { readonly told: CoordinatorMessage } | { readonly refused: KernelFailure };

/** Passes a question on. It is refused while no agent speaks for the node; what nobody waits for is not asked. */
export function askAgent(
  state: NodeState,
  asked: Asked,
  { requestId, replyTo }: { readonly requestId: string; readonly replyTo: ReplyTo | undefined },
  question: () => Question,
): NodeOutcome {
  if (replyTo === undefined) return stay(state);
  const { session } = state;
  if (session === null) {
    const text = `no agent speaks for the node '${state.hostname}'`;
    return stay(state, refuse(replyTo, { code: 'AGENT_UNAVAILABLE', message: text }));
  }
  const found = question();
  if ('refused' in found) return stay(state, refuse(replyTo, found.refused));
  keep(session, asked, requestId, replyTo);
  return stay(state, ...send(state, [found.told]));
}

function keep(session: NodeSession, asked: Asked, requestId: string, replyTo: ReplyTo): void {
  const open = session[asked];
  const [oldest] = open.keys();
  if (open.size >= OPEN_MAX && oldest !== undefined) open.delete(oldest);
  open.set(requestId, replyTo);
}

/** poll: an answer that nobody waits for any more is dropped. */
export function agentAnswered<Answer extends { readonly requestId: string }>(
  state: NodeState,
  asked: Asked,
  answer: Answer,
): NodeOutcome {
  const open = state.session?.[asked];
  const replyTo = open?.get(answer.requestId) as ReplyTo<Answer> | undefined;
  if (replyTo === undefined) return stay(state);
  open?.delete(answer.requestId);
  return stay(state, reply(replyTo, answer as NoInfer<Answer>));
}

/**
 * Questions to the agent of a node: they are passed on, and answered when the agent answers. Only the asker is kept.
 */
import type { CoordinatorMessage, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { NodeSession, NodeState } from '../../domain/node/node-state.ts';
import { type KernelFailure, type ReplyTo, refuse, reply, stay } from '../../kernel/mod.ts';
import { type NodeOutcome, send } from './node-effects.ts';

/** limit: unanswered questions of one kind to one agent; the oldest is dropped. */
const OPEN_MAX = 100;

/** Where a session keeps the askers. */
type Waiting = 'looks' | 'finds' | 'deletions';

/** The message for the agent, or why it cannot be asked. */
type Question = { readonly message: CoordinatorMessage } | { readonly refused: KernelFailure };

/** Passes a question on. It is refused while the node has no session; a question without an asker is dropped. */
export function askAgent(
  state: NodeState,
  waiting: Waiting,
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
  keep(session, waiting, requestId, replyTo);
  return stay(state, ...send(state, [found.message]));
}

function keep(session: NodeSession, waiting: Waiting, requestId: string, replyTo: ReplyTo): void {
  const open = session[waiting];
  const [oldest] = open.keys();
  if (open.size >= OPEN_MAX && oldest !== undefined) open.delete(oldest);
  open.set(requestId, replyTo);
}

/** poll: an answer is dropped when its asker no longer waits. */
export function agentAnswered<Answer extends { readonly requestId: string }>(
  state: NodeState,
  waiting: Waiting,
  answer: Answer,
): NodeOutcome {
  const open = state.session?.[waiting];
  const replyTo = open?.get(answer.requestId) as ReplyTo<Answer> | undefined;
  if (replyTo === undefined) return stay(state);
  open?.delete(answer.requestId);
  return stay(state, reply(replyTo, answer as NoInfer<Answer>));
}

/** The question about a workspace, as agents get it. Refused while the workspace is not active. */
export function aboutWorkspace(
  { workspaces }: NodeState,
  workspaceUuid: string,
  question: (workspace: WorkspaceRef) => CoordinatorMessage,
): Question {
  const known = workspaces.get(workspaceUuid);
  if (known === undefined) {
    const text = `the workspace ${workspaceUuid} is not active`;
    return { refused: { code: 'WORKSPACE_UNAVAILABLE', message: text } };
  }
  const { uuid, name } = known;
  return { message: question({ uuid, name, configuration: JSON.stringify(known.configuration) }) };
}

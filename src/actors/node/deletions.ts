/**
 * Files that somebody wants removed from a workspace, passed to the agent and answered when it has done it. Nothing is
 * kept but who asked: whoever gets no answer asks again, here or at another node.
 */
import type { FilesDeleted } from '../../domain/node/agent-messages.ts';
import type { NodeState } from '../../domain/node/node-state.ts';
import { askerOf, type Ctx, type ReplyTo, refuse, reply, stay } from '../../kernel/mod.ts';
import type { NodeMessage } from './node.messages.ts';
import { type NodeOutcome, send } from './node-effects.ts';

/** limit: unanswered requests of one agent; the oldest is forgotten. */
const OPEN_MAX = 100;

type DeleteMessage = Extract<NodeMessage, { type: 'deleteFiles' }>;

export function deleteFiles(state: NodeState, message: DeleteMessage, ctx: Ctx): NodeOutcome {
  const replyTo = askerOf(message, ctx);
  if (replyTo === undefined) return stay(state);
  const { session } = state;
  if (session === null) {
    const text = `no agent speaks for the node '${state.hostname}'`;
    return stay(state, refuse(replyTo, { code: 'AGENT_UNAVAILABLE', message: text }));
  }
  const { requestId, workspaceUuid, files } = message;
  const workspace = state.workspaces.get(workspaceUuid);
  if (workspace === undefined) {
    const text = `the workspace ${workspaceUuid} is not active`;
    return stay(state, refuse(replyTo, { code: 'WORKSPACE_UNAVAILABLE', message: text }));
  }
  const [oldest] = session.deletions.keys();
  if (session.deletions.size >= OPEN_MAX && oldest !== undefined) session.deletions.delete(oldest);
  session.deletions.set(requestId, replyTo);
  const { uuid, name } = workspace;
  const ref = { uuid, name, configuration: JSON.stringify(workspace.configuration) };
  return stay(state, ...send(state, [{ type: 'deleteFiles', requestId, workspace: ref, files }]));
}

/** poll: an answer that nobody waits for any more is dropped; the files are absent when they are asked for again. */
export function filesDeleted(state: NodeState, answer: FilesDeleted): NodeOutcome {
  const { session } = state;
  const asked = session?.deletions.get(answer.requestId) as ReplyTo<FilesDeleted> | undefined;
  if (asked === undefined) return stay(state);
  session?.deletions.delete(answer.requestId);
  return stay(state, reply(asked, answer));
}

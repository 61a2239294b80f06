/** Requests to remove files from a workspace. An asker without an answer asks again, here or at another node. */
import type { FilesDeleted } from '../../domain/node/agent-messages.ts';
import type { NodeState } from '../../domain/node/node-state.ts';
import { askerOf, type Ctx } from '../../kernel/mod.ts';
import { agentAnswered, askAgent, type Question } from './agent-questions.ts';
import type { NodeMessage } from './node.messages.ts';
import type { NodeOutcome } from './node-effects.ts';

type DeleteMessage = Extract<NodeMessage, { type: 'deleteFiles' }>;

export function deleteFiles(state: NodeState, message: DeleteMessage, ctx: Ctx): NodeOutcome {
  const { requestId } = message;
  const replyTo = askerOf(message, ctx);
  return askAgent(state, 'deletions', { requestId, replyTo }, () => toDelete(state, message));
}

function toDelete({ workspaces }: NodeState, message: DeleteMessage): Question {
  const { requestId, workspaceUuid, files } = message;
  const known = workspaces.get(workspaceUuid);
  if (known === undefined) {
    const text = `the workspace ${workspaceUuid} is not active`;
    return { refused: { code: 'WORKSPACE_UNAVAILABLE', message: text } };
  }
  const { uuid, name } = known;
  const workspace = { uuid, name, configuration: JSON.stringify(known.configuration) };
  return { message: { type: 'deleteFiles', requestId, workspace, files } };
}

/** If they are removed again, the files count as absent. */
export function filesDeleted(state: NodeState, answer: FilesDeleted): NodeOutcome {
  return agentAnswered(state, 'deletions', answer);
}

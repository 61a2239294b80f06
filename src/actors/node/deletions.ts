/** Requests to remove files from a workspace. An asker without an answer asks again, here or at another node. */
import type { FilesDeleted } from '../../domain/node/agent-messages.ts';
import type { NodeState } from '../../domain/node/node-state.ts';
import { askerOf, type Ctx } from '../../kernel/mod.ts';
import { aboutWorkspace, agentAnswered, askAgent } from './agent-questions.ts';
import type { NodeMessage } from './node.messages.ts';
import type { NodeOutcome } from './node-effects.ts';

type DeleteMessage = Extract<NodeMessage, { type: 'deleteFiles' }>;

export function deleteFiles(state: NodeState, message: DeleteMessage, ctx: Ctx): NodeOutcome {
  const { requestId, workspaceUuid, files } = message;
  const replyTo = askerOf(message, ctx);
  return askAgent(state, 'deletions', { requestId, replyTo }, () =>
    aboutWorkspace(state, workspaceUuid, (workspace) => ({
      type: 'deleteFiles',
      requestId,
      workspace,
      files,
    })),
  );
}

/** If they are removed again, the files count as absent. */
export function filesDeleted(state: NodeState, answer: FilesDeleted): NodeOutcome {
  return agentAnswered(state, 'deletions', answer);
}

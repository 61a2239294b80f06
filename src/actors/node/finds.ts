/** Questions for the next files of a workspace. They change nothing. */
import type { FilesFound } from '../../domain/node/agent-messages.ts';
import type { NodeState } from '../../domain/node/node-state.ts';
import { askerOf, type Ctx } from '../../kernel/mod.ts';
import { aboutWorkspace, agentAnswered, askAgent } from './agent-questions.ts';
import type { NodeMessage } from './node.messages.ts';
import type { NodeOutcome } from './node-effects.ts';

type FindMessage = Extract<NodeMessage, { type: 'findFiles' }>;

export function findFiles(state: NodeState, message: FindMessage, ctx: Ctx): NodeOutcome {
  const { requestId, workspaceUuid, after, limit } = message;
  const replyTo = askerOf(message, ctx);
  return askAgent(state, 'finds', { requestId, replyTo }, () =>
    aboutWorkspace(state, workspaceUuid, (workspace) => ({
      type: 'findFiles',
      ...{ requestId, workspace, after, limit },
    })),
  );
}

export function filesFound(state: NodeState, answer: FilesFound): NodeOutcome {
  return agentAnswered(state, 'finds', answer);
}

/** Checks of places that may become workspaces. They change nothing. An asker treats a missing answer as the result. */
import type { WorkspaceSeen } from '../../domain/node/agent-messages.ts';
import type { NodeState } from '../../domain/node/node-state.ts';
import { askerOf, type Ctx } from '../../kernel/mod.ts';
import { agentAnswered, askAgent } from './agent-questions.ts';
import type { NodeMessage } from './node.messages.ts';
import type { NodeOutcome } from './node-effects.ts';

type LookMessage = Extract<NodeMessage, { type: 'lookAt' }>;

export function lookAt(state: NodeState, message: LookMessage, ctx: Ctx): NodeOutcome {
  const { requestId, workspace } = message;
  return askAgent(state, 'looks', { requestId, replyTo: askerOf(message, ctx) }, () => ({
    message: { type: 'lookAtWorkspace', requestId, workspace },
  }));
}

export function workspaceSeen(state: NodeState, answer: WorkspaceSeen): NodeOutcome {
  return agentAnswered(state, 'looks', answer);
}

/** Ends of tasks and of ingests, as agents report them: alone, or several in one message. */
import type { AgentMessage, IngestUpdate, TaskUpdate } from './agent-messages.ts';

export type Report = TaskUpdate | IngestUpdate;

/** The reports of a message, as if each came alone; none if it is another message. All are of one type. */
export function reportsOf(message: AgentMessage): readonly Report[] {
  if (message.type === 'taskUpdate' || message.type === 'ingestUpdate') return [message];
  if (message.type === 'taskUpdates') {
    return message.updates.map((one): TaskUpdate => ({ type: 'taskUpdate', ...one }));
  }
  if (message.type !== 'ingestUpdates') return [];
  return message.updates.map((one): IngestUpdate => ({ type: 'ingestUpdate', ...one }));
}

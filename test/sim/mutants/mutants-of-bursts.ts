/** Seeded bugs in messages that hold several launches or reports, and in who is sent such. */
import { AgentClock } from '../../../src/domain/node/agent-clock.ts';
import type { AgentMessage } from '../../../src/domain/node/agent-messages.ts';
import type { Mutant } from './seams.ts';

/** The instants of reports that came together are taken as they are reported. */
class Hasty extends AgentClock {
  override translated(message: AgentMessage, nowMs: number): AgentMessage {
    return message.type === 'taskUpdates' ? message : super.translated(message, nowMs);
  }
}

export const BURSTS: readonly Mutant[] = [
  {
    bug: 'of launches in one message only the first counts',
    seams: {
      toAgent: (message) =>
        message.type === 'launches' ? { ...message, items: message.items.slice(0, 1) } : message,
    },
    from: 4,
  },
  {
    bug: 'agents of earlier versions are sent several launches in one message',
    seams: {
      fromAgent: (message) => (message.type === 'hello' ? { ...message, takesLaunches: true } : message),
    },
    from: 1,
  },
  {
    bug: 'coordinators of earlier versions are sent several reports in one message',
    seams: {
      toAgent: (message) =>
        message.type === 'welcome'
          ? { ...message, takesIngestUpdates: true, takesTaskUpdates: true }
          : message,
    },
    from: 11,
  },
  {
    bug: "instants of reports in one message are not set to the database's clock",
    seams: { agentClock: () => new Hasty() },
    from: 179,
  },
];

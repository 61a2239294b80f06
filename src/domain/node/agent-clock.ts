/**
 * An agent's wall clock compared with the database's. Agents report times on their own clocks, which may be wrong by
 * any amount; stored times are on the database's. Times of files are not converted.
 */
import type { AgentMessage, IngestUpdate, PhaseTime } from './agent-messages.ts';

/** All in ms since 1970; `nowMs` is the database's clock when a message came. */
export class AgentClock {
  #behindMs = 0;

  /**
   * `agentMs`: the agent's clock when it sent the message. If a message was long in transit, converted times are late
   * by as much until the next message. Undefined from agents that do not send it, whose clock is assumed to be right.
   */
  learn(agentMs: number | undefined, nowMs: number): void {
    if (agentMs !== undefined && Number.isFinite(agentMs)) this.#behindMs = nowMs - agentMs;
  }

  /** The message with its times converted to the database's clock, none of them after `nowMs`. */
  translated(message: AgentMessage, nowMs: number): AgentMessage {
    const databaseMs = (agentMs: number): number => {
      if (agentMs === 0) return 0; // the time is not set
      const ms = Math.floor(agentMs + this.#behindMs);
      return Number.isNaN(ms) ? nowMs : Math.min(Math.max(0, ms), nowMs);
    };
    const span = <T extends Pick<PhaseTime | IngestUpdate, 'startedMs' | 'endedMs'>>(one: T): T => ({
      ...one,
      startedMs: databaseMs(one.startedMs),
      endedMs: databaseMs(one.endedMs),
    });
    switch (message.type) {
      case 'taskUpdate':
        return { ...message, phases: message.phases.map(span) };
      case 'taskUpdates': {
        const updates = message.updates.map((one) => ({ ...one, phases: one.phases.map(span) }));
        return { ...message, updates };
      }
      case 'ingestUpdate':
        return span(message);
      case 'ingestUpdates':
        return { ...message, updates: message.updates.map(span) };
      case 'filesSeen':
        return {
          ...message,
          files: message.files.map((file) => ({ ...file, firstSeenMs: databaseMs(file.firstSeenMs) })),
        };
      default:
        return message;
    }
  }
}

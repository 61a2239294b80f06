/**
 * An agent's wall clock compared with the database's. Agents report times on their own clocks, which may be wrong by
 * any amount; stored times are on the database's. Times of files are not converted.
 */
import type { AgentMessage, IngestUpdate, PhaseTime } from './agent-messages.ts';

/** limit: the last messages that are compared. */
const HEARD_MAX = 6;
/** limit: a message that seems to be in transit for this much longer than another is from a clock that was set back. */
const SET_BACK_MS = 2_000;

/** All in ms since 1970; `nowMs` is the database's clock when a message came. */
export class AgentClock {
  /** By how much the agent's clock is behind, according to each of the last messages. */
  #heardMs: number[] = [];

  /**
   * `agentMs`: the agent's clock when it sent the message. The time in transit makes the clock seem further behind, so
   * the least of the last messages is nearest. With a message that was long in transit alone, converted times were late
   * by as much until the next one, and short tasks, cut at the moment of their report, took no time at all. Undefined
   * from agents that do not send it, whose clock is assumed to be right.
   */
  learn(agentMs: number | undefined, nowMs: number): void {
    if (agentMs === undefined || !Number.isFinite(agentMs)) return;
    const behindMs = nowMs - agentMs;
    const isSetBack = behindMs - Math.min(...this.#heardMs) > SET_BACK_MS;
    this.#heardMs = isSetBack ? [behindMs] : [...this.#heardMs, behindMs].slice(-HEARD_MAX);
  }

  /** The message with its times converted to the database's clock, none of them after `nowMs`. */
  translated(message: AgentMessage, nowMs: number): AgentMessage {
    const behindMs = this.#heardMs.length === 0 ? 0 : Math.min(...this.#heardMs);
    const databaseMs = (agentMs: number): number => {
      if (agentMs === 0) return 0; // the time is not set
      const ms = Math.floor(agentMs + behindMs);
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

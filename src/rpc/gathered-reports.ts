/**
 * Gathers the reports of one session: reports that are read together from its connection become one message to the
 * node's actor, and so one request to their owner and one commit. Without this the first report was committed alone
 * while the others waited: 500 files a second took 1.8 commits for each batch of a monitor.
 */
import type { AgentNodeMessage } from '../actors/node/node.messages.ts';
import type { AgentMessage, IngestUpdate, TaskUpdate } from '../domain/node/agent-messages.ts';
import { type Report, reportsOf } from '../domain/node/reports.ts';

// limit: reports in one message, unless an agent's message has more.
const REPORTS_MAX = 500;

export class GatheredReports {
  readonly #sessionId: string;
  readonly #pass: (message: AgentNodeMessage) => void;
  #reports: Report[] = [];
  #isDue = false;

  /** `pass` gets the messages in order. */
  constructor(sessionId: string, pass: (message: AgentNodeMessage) => void) {
    this.#sessionId = sessionId;
    this.#pass = pass;
  }

  /** False when the message is no report; then the reports before it have been passed on. */
  take(message: AgentMessage): boolean {
    const reports = reportsOf(message);
    const [first] = this.#reports;
    if (first?.type !== reports[0]?.type || this.#reports.length + reports.length > REPORTS_MAX) this.flush();
    if (reports.length === 0) return false;
    for (const report of reports) this.#reports.push(report); // not spread into one call: there may be too many
    if (this.#isDue) return true;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.flush();
    });
    return true;
  }

  flush(): void {
    const [first] = this.#reports;
    if (first === undefined) return;
    const [sessionId, reports] = [this.#sessionId, this.#reports];
    this.#reports = [];
    // All have the same type.
    this.#pass(
      first.type === 'taskUpdate'
        ? { type: 'taskUpdates', sessionId, updates: reports as TaskUpdate[] }
        : { type: 'ingestUpdates', sessionId, updates: reports as IngestUpdate[] },
    );
  }
}

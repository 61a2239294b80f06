/**
 * What the agent has to report and nobody has acknowledged yet: ends of tasks and of ingests, numbered, durable before
 * they are sent, kept until acknowledged. Sending is the session's business.
 */
import type { IngestUpdate, TaskUpdate } from '../src/domain/node/agent-messages.ts';
import type { Journal } from './journal.ts';

export type SpooledUpdate = TaskUpdate | IngestUpdate;

type WithoutNumber<Update> = Omit<Update, 'spoolId'>;

const PREFIX = 'update:';

export class Spool {
  readonly #journal: Journal;
  readonly #pending = new Map<number, SpooledUpdate>();
  /** Called when an update has become durable: there is something to send. */
  onRecorded: () => void = () => undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
    for (const [, value] of journal.entries(PREFIX)) {
      const update = value as SpooledUpdate;
      this.#pending.set(update.spoolId, update);
    }
  }

  /** Resolves when the update is durable; only then may what it speaks of be cleaned up. */
  async record(update: WithoutNumber<TaskUpdate> | WithoutNumber<IngestUpdate>): Promise<SpooledUpdate> {
    const spooled = { ...update, spoolId: this.#journal.nextNumber() } as SpooledUpdate;
    await this.#journal.append(`${PREFIX}${spooled.spoolId}`, spooled);
    this.#pending.set(spooled.spoolId, spooled);
    this.onRecorded();
    return spooled;
  }

  /** Forgets; answers what was forgotten. An unknown number was acknowledged before. */
  acknowledge(spoolIds: readonly number[]): SpooledUpdate[] {
    const forgotten: SpooledUpdate[] = [];
    for (const spoolId of spoolIds) {
      const update = this.#pending.get(spoolId);
      if (update === undefined) continue;
      this.#pending.delete(spoolId);
      this.#journal.forget(`${PREFIX}${spoolId}`);
      forgotten.push(update);
    }
    return forgotten;
  }

  /** Unacknowledged updates, oldest first. */
  pending(): Iterable<SpooledUpdate> {
    return this.#pending.values();
  }

  get size(): number {
    return this.#pending.size;
  }
}

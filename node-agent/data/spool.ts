/**
 * Unacknowledged reports of ended tasks and ingests. Each is numbered, becomes durable before it is sent, and is kept
 * until it is acknowledged. The session sends them.
 */
import type { IngestUpdate, TaskUpdate } from '../../src/domain/node/agent-messages.ts';
import type { Journal } from './journal.ts';

export type SpooledUpdate = TaskUpdate | IngestUpdate;

type WithoutNumber<Update> = Omit<Update, 'spoolId'>;

const PREFIX = 'update:';

export class Spool {
  readonly #journal: Journal;
  /** With those that are not durable yet. */
  readonly #pending = new Map<number, SpooledUpdate>();
  /** Numbers of durable updates, ascending; those of acknowledged updates are removed from time to time. */
  #numbers: number[] = [];
  /** Called when an update is durable and can be sent. */
  onRecorded: () => void = () => undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
    for (const [, value] of journal.entries(PREFIX)) {
      const update = value as SpooledUpdate;
      this.#pending.set(update.spoolId, update);
      this.#numbers.push(update.spoolId);
    }
    this.#numbers.sort((one, other) => one - other);
  }

  /** Resolves when the update is durable; only then may the execution be cleaned up. */
  async record(update: WithoutNumber<TaskUpdate> | WithoutNumber<IngestUpdate>): Promise<SpooledUpdate> {
    const spooled = { ...update, spoolId: this.#journal.nextNumber() } as SpooledUpdate;
    // At once: a hello that is sent meanwhile has to name the execution, or it would be launched again.
    this.#pending.set(spooled.spoolId, spooled);
    // Appends become durable in order, so numbers are added in order.
    await this.#journal.append(`${PREFIX}${spooled.spoolId}`, spooled);
    this.#numbers.push(spooled.spoolId);
    this.onRecorded();
    return spooled;
  }

  /** Stops sending these updates, and returns them. An unknown number was acknowledged before. */
  acknowledge(spoolIds: readonly number[]): SpooledUpdate[] {
    const acknowledged: SpooledUpdate[] = [];
    for (const spoolId of spoolIds) {
      const update = this.#pending.get(spoolId);
      if (update === undefined) continue;
      this.#pending.delete(spoolId);
      acknowledged.push(update);
    }
    if (this.#numbers.length > 1_000 + 2 * this.#pending.size) {
      this.#numbers = this.#numbers.filter((number) => this.#pending.has(number));
    }
    return acknowledged;
  }

  /** Removes the update from the disk. Until then a restart would report it again, which is harmless. */
  forget(spoolId: number): void {
    this.#pending.delete(spoolId);
    this.#journal.forget(`${PREFIX}${spoolId}`);
  }

  /** Unacknowledged updates, oldest first, with those that are being recorded. */
  pending(): Iterable<SpooledUpdate> {
    return this.#pending.values();
  }

  /** The oldest unacknowledged update with a greater number. */
  after(spoolId: number): SpooledUpdate | undefined {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbers[middle] as number) <= spoolId) low = middle + 1;
      else high = middle;
    }
    for (; low < this.#numbers.length; low += 1) {
      const update = this.#pending.get(this.#numbers[low] as number);
      if (update !== undefined) return update;
    }
    return undefined;
  }

  get size(): number {
    return this.#pending.size;
  }
}

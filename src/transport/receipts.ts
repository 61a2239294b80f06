/**
 * Tracks the messages received from others. The highest number of each sender distinguishes repeats from new messages.
 * Receipts go back on the way of the message, a little later, so that one receipt confirms many messages.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/mod.ts';
import { BUS_LIMITS } from './bus-limits.ts';

interface Sender {
  highest: number;
  /** Sends the pending receipt. */
  answer: ((received: number) => void) | undefined;
}

export class Receipts {
  /** limit: peersMax. The sender that was silent longest is forgotten. */
  readonly #senders = new LRUCache<string, Sender>({ max: BUS_LIMITS.peersMax });
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #timers = new Set<() => void>();

  constructor(clock: Pick<Clock, 'timer'>) {
    this.#clock = clock;
  }

  /**
   * Whether to accept a message: it is new, and the one before it has come. A repeat is confirmed again, since its
   * first receipt may have been lost. `previous` 0: nothing has to come before it.
   */
  take(from: string, number: number, previous: number, answer: (received: number) => void): boolean {
    const sender = this.#senderOf(from);
    const isNext = number > sender.highest && number - sender.highest <= BUS_LIMITS.numberLeapMax;
    const isNew = isNext && previous <= sender.highest;
    if (isNew) sender.highest = number;
    if (sender.answer === undefined) this.#answerLater(sender);
    sender.answer = answer;
    return isNew;
  }

  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #answerLater(sender: Sender): void {
    const cancel = this.#clock.timer(BUS_LIMITS.receiptMs, () => {
      this.#timers.delete(cancel);
      const { answer } = sender;
      sender.answer = undefined;
      answer?.(sender.highest);
    });
    this.#timers.add(cancel);
  }

  #senderOf(from: string): Sender {
    const sender = this.#senders.get(from) ?? { highest: 0, answer: undefined };
    this.#senders.set(from, sender);
    return sender;
  }
}

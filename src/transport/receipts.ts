/**
 * What was had from others: by the highest number of each sender a repeat is told from what is new. It is confirmed
 * over the way on which it came, a little later, so that one receipt speaks for many messages.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/mod.ts';
import { BUS_LIMITS } from './bus-limits.ts';

interface Sender {
  highest: number;
  /** Where the receipt that waits is sent. */
  answer: ((received: number) => void) | undefined;
}

export class Receipts {
  /** limit: peersMax. Whoever was heard least recently is forgotten. */
  readonly #senders = new LRUCache<string, Sender>({ max: BUS_LIMITS.peersMax });
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #timers = new Set<() => void>();

  constructor(clock: Pick<Clock, 'timer'>) {
    this.#clock = clock;
  }

  /**
   * Whether a message is taken: it is new, and the one before it has come. A repeat is confirmed again: its first
   * receipt may have been lost. `previous` 0: whatever came before it.
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

/**
 * The reader of a strike's queue on a simulated coordinator: takes, has the real code settle what it took, and stops
 * when its strike lives elsewhere, like src/notifications/readers.ts.
 */
import { strikeAddress } from '../../../src/actors/strike/strike.messages.ts';
import type { System } from '../../../src/kernel/mod.ts';
import type { QueueMessage } from '../../../src/notifications/queue.ts';
import { settle } from '../../../src/notifications/settle.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Cables } from '../cables.ts';
import type { NotificationQueue, QueuedMessage } from '../notifications.ts';
import type { SimProcess } from '../sim-process.ts';

/** Where the queue is, to those who cut ways. */
export const QUEUE = 'queue';
const TAKE_EVERY_MS = 500;
const TAKEN_AT_ONCE = 4;
const DELIVER_MS = 30_000;

export interface ReaderParts {
  readonly self: string;
  readonly process: SimProcess;
  readonly cables: Cables;
  /** By strike. */
  readonly queues: ReadonlyMap<number, NotificationQueue>;
  readonly system: () => System;
  readonly onNotified: () => void;
  /** No message of the simulated store is one that cannot be used. */
  readonly buried: (reason: string) => void;
}

export class SimReaders {
  readonly #parts: ReaderParts;
  readonly #reading = new Set<number>();

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  watch(strikeId: number, isWanted: boolean): void {
    if (!isWanted) this.#reading.delete(strikeId);
    else if (!this.#reading.has(strikeId)) {
      this.#reading.add(strikeId);
      this.#goOn(strikeId);
    }
  }

  #goOn(strikeId: number): void {
    const { process, self, system } = this.#parts;
    process.timer(TAKE_EVERY_MS, () => {
      if (!this.#reading.has(strikeId)) return;
      if (system().ownerOf(strikeAddress(strikeId))?.id !== self) {
        this.#reading.delete(strikeId);
        return;
      }
      const again = (): void => this.#goOn(strikeId);
      this.#take(strikeId).then(again, again);
    });
  }

  async #take(strikeId: number): Promise<void> {
    const { process, cables, queues, system } = this.#parts;
    const queue = queues.get(strikeId);
    if (queue === undefined || cables.isCut(process.name, QUEUE)) return;
    const messages = queue.take(TAKEN_AT_ONCE).map((one) => this.#messageOf(queue, one));
    if (messages.length === 0) return;
    await settle(
      messages,
      async (objects) => {
        const message = { type: 'notified', objects } as const;
        const answer = system().ask(strikeAddress(strikeId), message, { deadlineMs: DELIVER_MS });
        this.#parts.onNotified();
        await answer;
      },
      silentLog,
    );
  }

  /** An end that cannot be told is lost: the message comes again. */
  #messageOf(queue: NotificationQueue, message: QueuedMessage): QueueMessage {
    const { process, cables, buried } = this.#parts;
    const tell = async (end: () => void): Promise<void> => {
      if (!process.isDead && !process.isStopped && !cables.isCut(process.name, QUEUE)) end();
    };
    const { text, deliveryCount } = message;
    return {
      text,
      deliveryCount,
      done: () => tell(() => queue.done(message)),
      again: (afterMs) => tell(() => queue.again(message, afterMs)),
      bury: async (reason) => buried(reason),
    };
  }
}

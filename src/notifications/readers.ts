/**
 * The readers of this coordinator, at most one a strike: opened on request of the strike's actor, retried with back-off
 * while the queue is unavailable, closed on request or when the actor moves away. Two readers of one strike are
 * harmless while it moves: each gets some of the messages, and an object that was recorded before changes nothing.
 */
import type { SeenObject } from '../domain/notification/s3-event.ts';
import type { Logger } from '../lib/logger.ts';
import type { Deliver, QueueOrder, Reading } from './queue.ts';
import { backOffMs } from './settle.ts';

/** A kind of queue. */
export interface QueueKind {
  read(order: QueueOrder, deliver: Deliver): Promise<Reading>;
  /** Removes what the queue's server stores for the strike. */
  forget(order: QueueOrder): Promise<void>;
}

export interface ReaderOptions {
  /** Absent kinds are not read by this coordinator. */
  readonly kinds: { readonly nats?: QueueKind | undefined; readonly sqs?: QueueKind | undefined };
  /** Resolves when the strike has recorded the objects. */
  deliver(strikeId: number, objects: readonly SeenObject[]): Promise<void>;
  /** Whether this coordinator runs the strike's actor. */
  isOurs(strikeId: number): boolean;
  readonly log: Logger;
  readonly checkMs?: number;
}

const CHECK_MS = 2_000;

interface Slot {
  readonly order: string;
  readonly stopping: AbortController;
  readonly done: Promise<void>;
}

export class QueueReaders {
  readonly #options: ReaderOptions;
  readonly #slots = new Map<number, Slot>();
  readonly #ending = new Set<Promise<void>>();
  readonly #checking: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#checking = setInterval(() => this.#dropForeign(), options.checkMs ?? CHECK_MS);
    this.#checking.unref();
  }

  /** Ids of the strikes that have a reader. */
  strikeIds(): readonly number[] {
    return [...this.#slots.keys()];
  }

  /** Reads as ordered from now on. Repeating the order changes nothing. */
  keep(order: QueueOrder): void {
    const kind = this.#options.kinds[order.queueType];
    const text = JSON.stringify(order);
    if (this.#slots.get(order.strikeId)?.order === text) return;
    this.drop(order.strikeId);
    if (kind === undefined || this.#isClosed) return;
    const stopping = new AbortController();
    const done = this.#run(kind, order, stopping.signal);
    this.#slots.set(order.strikeId, { order: text, stopping, done });
  }

  /** Stops reading for the strike. */
  drop(strikeId: number): void {
    const slot = this.#slots.get(strikeId);
    if (slot === undefined) return;
    this.#slots.delete(strikeId);
    slot.stopping.abort();
    this.#ending.add(slot.done);
    slot.done.finally(() => this.#ending.delete(slot.done));
  }

  /** Call it after `keep` or `drop`, when the strike has stopped reading this queue for good. */
  async forget(order: QueueOrder): Promise<void> {
    await Promise.all(this.#ending);
    await this.#options.kinds[order.queueType]?.forget(order);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#checking);
    for (const strikeId of this.strikeIds()) this.drop(strikeId);
    await Promise.all(this.#ending);
  }

  #dropForeign(): void {
    for (const strikeId of this.strikeIds()) if (!this.#options.isOurs(strikeId)) this.drop(strikeId);
  }

  /** Never rejects. */
  async #run(kind: QueueKind, order: QueueOrder, stopping: AbortSignal): Promise<void> {
    const { strikeId, queueName } = order;
    const log = this.#options.log.child({ strikeId, queue: queueName });
    const stopped = new Promise<undefined>((resolve) => {
      stopping.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    for (let failures = 0; !stopping.aborted; ) {
      try {
        const reading = await kind.read(order, (objects) => this.#options.deliver(strikeId, objects));
        log.info('notification_queue_read');
        failures = 0;
        const error = await Promise.race([reading.ended, stopped]);
        await reading.close();
        if (stopping.aborted) return;
        log.warn('notification_queue_interrupted', { error });
      } catch (error) {
        log.warn('notification_queue_unreadable', { note: 'the workspace is listed meanwhile', error });
      }
      failures += 1;
      await sleep(backOffMs(failures), stopped);
    }
  }
}

/** Waits for so long, or until `stopped`. */
async function sleep(ms: number, stopped: Promise<undefined>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([over, stopped]);
  clearTimeout(timer);
}

/**
 * A bucket's notifications on their way: events that the store sends once, twice, late or never, in a queue that hides
 * what it gave out and gives it out again until it is done with.
 */

import type { FaultRates } from './fault-schedule.ts';
import type { Seeded } from './seeded.ts';
import type { SimTime } from './sim-time.ts';

/** What an object's event says of it. */
export interface BucketObject {
  readonly bucket: string;
  readonly path: string;
  readonly size: number;
  readonly etag: string;
  readonly order: number;
  readonly atMs: number;
}

export interface QueuedMessage {
  readonly text: string;
  deliveryCount: number;
  hiddenUntilMs: number;
}

/** As the consumers of src/notifications/jetstream.ts. */
const HIDDEN_MS = 15_000;

export class NotificationQueue {
  readonly #time: SimTime;
  readonly #random: Seeded;
  readonly #messages = new Set<QueuedMessage>();

  constructor(time: SimTime, random: Seeded) {
    this.#time = time;
    this.#random = random;
  }

  /** The store tells of an object, as well as it can. */
  tell(object: BucketObject, faultRates: FaultRates): void {
    if (this.#random.chance(faultRates.eventsLost)) return;
    const copies = this.#random.chance(faultRates.eventsRepeated) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const afterMs = 5 + this.#random.next() * faultRates.eventDelayMsMax;
      this.#time.after(afterMs, () => {
        this.#messages.add({ text: textOf(object), deliveryCount: 0, hiddenUntilMs: 0 });
      });
    }
  }

  /** Gives out what is not hidden. */
  take(max: number): QueuedMessage[] {
    const { nowMs } = this.#time;
    const taken = [...this.#messages].filter((one) => one.hiddenUntilMs <= nowMs).slice(0, max);
    for (const one of taken) {
      one.deliveryCount += 1;
      one.hiddenUntilMs = nowMs + HIDDEN_MS;
    }
    return taken;
  }

  done(message: QueuedMessage): void {
    this.#messages.delete(message);
  }

  again(message: QueuedMessage, afterMs: number): void {
    message.hiddenUntilMs = this.#time.nowMs + afterMs;
  }

  get size(): number {
    return this.#messages.size;
  }
}

function textOf({ bucket, path, size, etag, order, atMs }: BucketObject): string {
  const record = {
    ...{ eventVersion: '2.1', eventName: 's3:ObjectCreated:Put', eventTime: new Date(atMs).toISOString() },
    s3: {
      bucket: { name: bucket },
      object: { key: encodeURIComponent(path), size, eTag: etag, sequencer: order.toString(16) },
    },
  };
  return JSON.stringify({ Records: [record] });
}

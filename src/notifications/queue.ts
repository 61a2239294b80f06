/**
 * The types that readers of queues share: messages, and the delivery of their objects. A message is done only after the
 * commit of its objects, so it may be delivered again; known objects change nothing.
 */
import type { SeenObject } from '../domain/notification/s3-event.ts';

/** A message delivered by a queue. Exactly one of its three ends is called. */
export interface QueueMessage {
  readonly text: string;
  /** How often it was delivered, including this time. */
  readonly deliveryCount: number;
  /** The message is not delivered again. */
  done(): Promise<void>;
  /** The message is delivered again, not before this pause. */
  again(afterMs: number): Promise<void>;
  /** The message is unusable. It is moved aside with its reason, for inspection. */
  bury(reason: string): Promise<void>;
}

/** Resolves when the arrivals are committed. Rejects with an error that has a `code`. */
export type Deliver = (objects: readonly SeenObject[]) => Promise<void>;

/** A strike and the queue that is read for it. */
export interface QueueOrder {
  readonly strikeId: number;
  readonly queueName: string;
  readonly queueType: 'nats' | 'sqs';
  readonly region?: string | undefined;
  /** Absent: the role of this host. */
  readonly keys?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** A queue that is being read. */
export interface Reading {
  /** Resolves with the reason why it cannot continue; never rejects. After `close`, with undefined. */
  readonly ended: Promise<unknown>;
  /** Accepts no further messages, and waits for work in progress. Unfinished messages go to the next reader. */
  close(): Promise<void>;
}

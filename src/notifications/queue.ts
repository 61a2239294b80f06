/**
 * What readers of queues share: the messages as they hand them on, and who gets the objects. A message is done with
 * only after the commit of what it says, so it may come again; objects that are known already change nothing.
 */
import type { SeenObject } from '../domain/notification/s3-event.ts';

/** A message that a queue gave out. Exactly one of the three ends is told. */
export interface QueueMessage {
  readonly text: string;
  /** How often it was given out, this time included. */
  readonly deliveryCount: number;
  /** Never comes again. */
  done(): Promise<void>;
  /** Comes again, not before so long. */
  again(afterMs: number): Promise<void>;
  /** Cannot be used: out of the way, with its reason, for somebody to look at. */
  bury(reason: string): Promise<void>;
}

/** Resolves once the arrivals are committed. Rejects with an error that has a `code`. */
export type Deliver = (objects: readonly SeenObject[]) => Promise<void>;

/** Whose messages these are: a queue as a strike wants it read. */
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
  /** Resolves with why it cannot go on; never rejects. After `close`, with undefined. */
  readonly ended: Promise<unknown>;
  /** Takes no more, and waits for what is under way. What is not done with comes again, to whoever reads next. */
  close(): Promise<void>;
}

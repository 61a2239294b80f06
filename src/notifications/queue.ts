/**
 * What the readers of queues share: messages as they pass them on, and where the objects go. A message is done only
 * after the commit of its objects, so it may come again; objects that are known already change nothing.
 */
import type { SeenObject } from '../domain/notification/s3-event.ts';

/** A message delivered by a queue. Exactly one of its three ends is called. */
export interface QueueMessage {
  readonly text: string;
  /** How often it was delivered, including this time. */
  readonly deliveryCount: number;
  /** Never comes again. */
  done(): Promise<void>;
  /** Delivered again, after this pause at least. */
  again(afterMs: number): Promise<void>;
  /** Unusable: set aside with its reason, for somebody to look at. */
  bury(reason: string): Promise<void>;
}

/** Resolves when the arrivals are committed. Rejects with an error that has a `code`. */
export type Deliver = (objects: readonly SeenObject[]) => Promise<void>;

/** Which strike wants which queue read. */
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

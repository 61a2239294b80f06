/**
 * Settles messages of any kind of queue: delivers their objects, then marks them as done. Unreadable messages are moved
 * aside (`bury`); others are delivered again later if a service that they need is unavailable.
 */
import { readNotification, type SeenObject } from '../domain/notification/s3-event.ts';
import type { Logger } from '../lib/logger.ts';
import type { Deliver, QueueMessage } from './queue.ts';

/** limit: objects of one delivery, which is one commit. A single message may have more. */
const OBJECTS_MAX = 1_000;
/** A message is moved aside after so many deliveries that failed without an external reason. */
const DELIVERIES_MAX = 20;
const BACK_OFF_FIRST_MS = 1_000;
const BACK_OFF_MAX_MS = 60_000;
/** The pause for a strike that is paused or watches another place by now, whose reader is about to be closed. */
const STOPPING_MS = 60_000;

/** Failures with external reasons, which are not caused by the message. */
const OUTER: ReadonlySet<unknown> = new Set([
  ...['MAILBOX_FULL', 'DEADLINE', 'NOT_OWNER', 'UNAVAILABLE', 'STOPPING'],
  ...['OWNER_UNAVAILABLE', 'STORE_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'SHUTTING_DOWN'],
]);

interface Read {
  readonly message: QueueMessage;
  readonly objects: readonly SeenObject[];
  readonly problems: readonly string[];
}

/** Never rejects. If the end of a message cannot be reported, the message is delivered again. */
export async function settle(
  messages: readonly QueueMessage[],
  deliver: Deliver,
  log: Logger,
): Promise<void> {
  let part: Read[] = [];
  let count = 0;
  for (const message of messages) {
    const { objects, problems } = readNotification(message.text);
    if (count + objects.length > OBJECTS_MAX && part.length > 0) {
      await settleAll(part, deliver, log);
      part = [];
      count = 0;
    }
    part.push({ message, objects, problems });
    count += objects.length;
  }
  await settleAll(part, deliver, log);
}

async function settleAll(reads: readonly Read[], deliver: Deliver, log: Logger): Promise<void> {
  const objects = reads.flatMap((read) => read.objects);
  try {
    if (objects.length > 0) await deliver(objects);
  } catch (error) {
    await failed(reads, error, deliver, log);
    return;
  }
  await settleEach(reads, log, ({ message, problems }) => {
    if (problems.length === 0) return message.done();
    log.warn('notification_refused', { problems });
    return message.bury(problems.join('; '));
  });
}

async function failed(reads: readonly Read[], error: unknown, deliver: Deliver, log: Logger): Promise<void> {
  const code = codeOf(error);
  const isOuter = OUTER.has(code) || code === 'STATE_CONFLICT';
  if (!isOuter && reads.length > 1) {
    // One message may have caused the failure, so each is delivered alone.
    for (const read of reads) await settleAll([read], deliver, log);
    return;
  }
  log.warn('notification_arrivals_not_recorded', {
    error,
    count: reads.length,
  });
  await settleEach(reads, log, ({ message }) => {
    if (code === 'STATE_CONFLICT') return message.again(STOPPING_MS);
    if (isOuter || message.deliveryCount < DELIVERIES_MAX)
      return message.again(backOffMs(message.deliveryCount));
    return message.bury(`its arrivals could not be recorded in ${message.deliveryCount} times`);
  });
}

async function settleEach(
  reads: readonly Read[],
  log: Logger,
  tell: (read: Read) => Promise<void>,
): Promise<void> {
  const ends = await Promise.allSettled(reads.map(tell));
  const failure = ends.find((end) => end.status === 'rejected');
  // It will be delivered again, and its objects will be known then.
  if (failure !== undefined) log.warn('notification_not_settled', { error: failure.reason });
}

/** 1, 2, 4 … up to 60 seconds, in milliseconds. */
export function backOffMs(deliveryCount: number): number {
  return Math.min(BACK_OFF_MAX_MS, BACK_OFF_FIRST_MS * 2 ** Math.min(10, Math.max(0, deliveryCount - 1)));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

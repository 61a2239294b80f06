/**
 * Notifications of object stores: reads the queues of this coordinator's strikes, and accepts notifications over HTTP.
 * Notifications over HTTP are stored in NATS, or sent directly to the strikes if there is no NATS or it refuses them.
 */
import { type StrikeMessage, strikeAddress } from '../actors/strike/strike.messages.ts';
import type { StrikePorts } from '../actors/strike/strike.ports.ts';
import type { ApiParts } from '../api/parts.ts';
import { STRIKE_CREDENTIALS } from '../api/strikes/service.ts';
import { withOpenedCredentials } from '../api/workspaces/encrypted-credentials.ts';
import { isShown } from '../auth/own-tokens.ts';
import { AppError } from '../domain/errors.ts';
import {
  NOTIFICATION_BYTES_MAX,
  readNotificationDocument,
  type SeenObject,
} from '../domain/notification/s3-event.ts';
import type { ObjstoreMonitor } from '../domain/strike/strike-config.ts';
import { KernelError, type System } from '../kernel/mod.ts';
import type { Logger } from '../lib/logger.ts';
import type { Secret } from '../lib/secret.ts';
import type { JetStreamQueues } from '../notifications/jetstream.ts';
import type { QueueOrder } from '../notifications/queue.ts';
import { type QueueKind, QueueReaders } from '../notifications/readers.ts';
import type { Encryption } from '../store/secret-key/encryption.ts';
import type { Sql } from '../store/sql/sql.ts';
import { type ReadingStrike, strikesReading } from '../store/strike/list.ts';

export interface NotificationParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  readonly system: Pick<System, 'ask' | 'ownerOf'>;
  /** Id of this coordinator. */
  readonly self: string;
  readonly natsUrl: Secret | undefined;
  /** The token that callers need; undefined: none. */
  readonly token: Secret | undefined;
  readonly log: Logger;
}

export interface Notifications {
  readonly watchQueue: StrikePorts['watchQueue'];
  readonly http: ApiParts['notifications'];
  close(): Promise<void>;
}

/** How long the actor of a strike may take. It is shorter than the time after which any queue delivers again. */
const DELIVER_MS = 30_000;

export async function openNotifications(parts: NotificationParts): Promise<Notifications> {
  const { system, self, natsUrl, log } = parts;
  const jetStream = natsUrl === undefined ? undefined : await jetStreamOf(natsUrl, log);
  const deliver = async (strikeId: number, objects: readonly SeenObject[]): Promise<void> => {
    const message: StrikeMessage = { type: 'notified', objects };
    // Repeated objects are recognized by their identity.
    await system.ask(strikeAddress(strikeId), message, { deadlineMs: DELIVER_MS, isRepeatable: true });
  };
  const readers = new QueueReaders({
    kinds: { nats: jetStream, sqs: sqsQueues(log) },
    deliver,
    isOurs: (strikeId) => system.ownerOf(strikeAddress(strikeId))?.id === self,
    log,
  });
  return {
    async watchQueue({ strikeId, monitor, formerly }) {
      if (monitor === null) readers.drop(strikeId);
      else readers.keep(orderOf(parts.encryption, strikeId, monitor));
      if (formerly !== null) await readers.forget(orderOf(parts.encryption, strikeId, formerly));
    },
    http: { take: (notification) => take(parts, jetStream, deliver, notification) },
    async close() {
      await readers.close();
      await jetStream?.close();
    },
  };
}

async function jetStreamOf(natsUrl: Secret, log: Logger): Promise<JetStreamQueues> {
  const { JetStreamQueues } = await import('../notifications/jetstream.ts');
  return new JetStreamQueues({ url: natsUrl.reveal(), log });
}

/** The SDK takes 20 MiB, so it is loaded with the first queue. */
function sqsQueues(log: Logger): QueueKind {
  return {
    async read(order, deliver) {
      const { SqsQueues } = await import('../notifications/sqs.ts');
      return new SqsQueues({ log }).read(order, deliver);
    },
    async forget() {}, // SQS stores nothing for a strike
  };
}

/** Throws SECRET_UNREADABLE. */
function orderOf(encryption: Encryption, strikeId: number, monitor: ObjstoreMonitor): QueueOrder {
  const { queue_name: queueName, queue_type: queueType = 'nats', region_name: region } = monitor;
  if (queueType === 'nats') return { strikeId, queueName, queueType };
  const { credentials } = withOpenedCredentials(monitor, encryption, STRIKE_CREDENTIALS);
  const keys = credentials && {
    accessKeyId: credentials.access_key_id,
    secretAccessKey: credentials.secret_access_key,
  };
  return { strikeId, queueName, queueType, region, keys };
}

type Take = ApiParts['notifications']['take'];
type DeliverTo = (strikeId: number, objects: readonly SeenObject[]) => Promise<void>;

async function take(
  { sql, token, log }: NotificationParts,
  jetStream: JetStreamQueues | undefined,
  deliver: DeliverTo,
  { queueName, document, authorization }: Parameters<Take>[0],
): ReturnType<Take> {
  if (token !== undefined && !isShown(token.reveal(), authorization)) {
    throw new AppError('UNAUTHENTICATED', 'notifications need the token of MILLRACE_NOTIFICATION_TOKEN');
  }
  const strikes = await strikesReading(sql, queueName);
  if (strikes.length === 0) throw new AppError('NOT_FOUND', 'no strike reads a queue of this name');
  const text = JSON.stringify(document);
  if (Buffer.byteLength(text) > NOTIFICATION_BYTES_MAX) {
    throw new AppError('TOO_LARGE', `a notification has at most ${NOTIFICATION_BYTES_MAX} bytes`);
  }
  const { objects, skippedCount, problems } = readNotificationDocument(document);
  // Records that can be used are used even if others cannot: otherwise a store would send the message again for ever.
  if (objects.length === 0 && skippedCount === 0 && problems.length > 0) {
    const errors = problems.map((description) => ({ name: 'INVALID_NOTIFICATION', description, path: '' }));
    throw new AppError('INVALID_REQUEST', 'the body is no notification of an object store', { errors });
  }
  if (problems.length > 0) log.warn('notification_used_in_part', { queue: queueName, problems });
  if (objects.length > 0) {
    const isStored = await storeIn(jetStream, queueName, text, log);
    // NATS may have stored a message that it did not confirm: repeated objects are recognized by their identity.
    if (!isStored) await deliverAll(strikes, objects, deliver);
  }
  return { objects: objects.length, skipped: skippedCount, problems: [...problems] };
}

async function storeIn(
  jetStream: JetStreamQueues | undefined,
  queueName: string,
  text: string,
  log: Logger,
): Promise<boolean> {
  try {
    await jetStream?.publish(queueName, text);
    return jetStream !== undefined;
  } catch (error) {
    log.warn('notification_not_stored', {
      queue: queueName,
      error,
    });
    return false;
  }
}

/** Failures of strikes that are paused do not count: when resumed, they find the objects by a listing. */
async function deliverAll(
  strikes: readonly ReadingStrike[],
  objects: readonly SeenObject[],
  deliver: DeliverTo,
): Promise<void> {
  for (const { id, isPaused } of strikes) {
    if (isPaused) continue;
    await deliver(id, objects).catch((error: unknown) => {
      if (!(error instanceof KernelError && error.code === 'STATE_CONFLICT')) throw error;
    });
  }
}

/**
 * Queues of notifications in NATS JetStream: a stream for the subject, and a durable consumer for each strike. An
 * existing stream is used as it is; otherwise one is created.
 */
import { createHash } from 'node:crypto';
import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  connect,
  DeliverPolicy,
  DiscardPolicy,
  headers,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { AppError } from '../domain/errors.ts';
import { NOTIFICATION_BYTES_MAX } from '../domain/notification/s3-event.ts';
import type { Logger } from '../lib/logger.ts';
import { natsServers } from '../lib/nats-servers.ts';
import type { Deliver, QueueMessage, QueueOrder, Reading } from './queue.ts';
import { settle } from './settle.ts';

export interface JetStreamOptions {
  readonly url: string;
  readonly log: Logger;
  /** How long after a reader's last sign of life its messages are delivered again; default 15 s. */
  readonly ackWaitMs?: number;
}

/** How long messages are kept. Objects of messages that were not read by then are found by a listing. */
const KEPT_MS = 7 * 86_400_000;
const DEAD_KEPT_MS = 30 * 86_400_000;
const STREAM_BYTES_MAX = 1_073_741_824;
const DEAD_BYTES_MAX = 67_108_864;
const BEAT_MS = 3_000;
const ACK_WAIT_MS = 15_000;
/** How many times within this wait a reader reports that it is still working. */
const WORKING_PART = 3;
/** Most messages that wait in this process. Twice as many may be delivered and unacknowledged. */
const WAITING_MAX = 256;
const CALL_MS = 5_000;
const REASON_CHARS_MAX = 1_000;
const CONSUMER_NOT_FOUND = 10014;

export class JetStreamQueues {
  readonly #options: JetStreamOptions;
  readonly #readings = new Set<JetStreamReading>();
  #connecting: Promise<NatsConnection> | undefined;

  constructor(options: JetStreamOptions) {
    this.#options = options;
  }

  /** Reads until it is closed or cannot continue. Rejects when the server or JetStream is unavailable. */
  async read(order: QueueOrder, deliver: Deliver): Promise<Reading> {
    const { manager, client } = await this.#jetStream();
    const stream = await ensureStream(manager, order.queueName, liveLimits());
    const name = consumerName(order.strikeId);
    await ensureConsumer(manager, stream, {
      durable_name: name,
      filter_subject: order.queueName,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(this.#ackWaitMs),
      max_deliver: -1,
      max_ack_pending: 2 * WAITING_MAX,
      inactive_threshold: nanos(KEPT_MS),
    });
    const consumer = await client.consumers.get(stream, name);
    const log = this.#options.log.child({ strikeId: order.strikeId, queue: order.queueName });
    const bury = burial(manager, client, order);
    const reading = new JetStreamReading({ consumer, deliver, log, bury, ackWaitMs: this.#ackWaitMs });
    this.#readings.add(reading);
    reading.ended.then(() => this.#readings.delete(reading));
    return reading;
  }

  /** Resolves when the server has stored it. Rejects with BUS_UNAVAILABLE. */
  async publish(queueName: string, text: string): Promise<void> {
    try {
      const { manager, client } = await this.#jetStream();
      await ensureStream(manager, queueName, liveLimits());
      await client.publish(queueName, text, { timeout: CALL_MS });
    } catch (error) {
      throw new AppError(
        'BUS_UNAVAILABLE',
        'the notification could not be stored in NATS',
        {},
        { cause: error },
      );
    }
  }

  /** Removes the strike's consumer, when it has stopped reading this queue for good. */
  async forget(order: Pick<QueueOrder, 'strikeId' | 'queueName'>): Promise<void> {
    const { manager } = await this.#jetStream();
    const stream = await findStream(manager, order.queueName);
    if (stream === undefined) return;
    await manager.consumers
      .delete(stream, consumerName(order.strikeId))
      .catch(unlessCode(CONSUMER_NOT_FOUND));
  }

  /** Ends open readings without waiting for work in progress. */
  async close(): Promise<void> {
    await Promise.all([...this.#readings].map((reading) => reading.halt()));
    const connection = await this.#connecting?.catch(() => undefined);
    this.#connecting = undefined;
    await connection?.close();
  }

  get #ackWaitMs(): number {
    return this.#options.ackWaitMs ?? ACK_WAIT_MS;
  }

  async #jetStream(): Promise<{ readonly manager: JetStreamManager; readonly client: JetStreamClient }> {
    this.#connecting ??= this.#connect();
    const connection = await this.#connecting;
    const manager = await connection.jetstreamManager({ timeout: CALL_MS });
    return { manager, client: connection.jetstream({ timeout: CALL_MS }) };
  }

  #connect(): Promise<NatsConnection> {
    const connecting = connect({
      ...natsServers(this.#options.url),
      name: 'millrace notifications',
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      // Retried, because credentials that were changed on the server may be changed back.
      ignoreAuthErrorAbort: true,
      timeout: CALL_MS,
    });
    // If connecting failed, or the connection was closed, the next caller connects again.
    const forget = () => {
      if (this.#connecting === connecting) this.#connecting = undefined;
    };
    connecting.then((connection) => connection.closed().then(forget, forget), forget);
    return connecting;
  }
}

interface ReadingParts {
  readonly consumer: Consumer;
  readonly deliver: Deliver;
  readonly log: Logger;
  readonly ackWaitMs: number;
  bury(message: JsMsg, reason: string): Promise<void>;
}

/** Settles one batch at a time: everything that has arrived meanwhile. */
class JetStreamReading implements Reading {
  readonly ended: Promise<unknown>;
  readonly #parts: ReadingParts;
  readonly #waiting: JsMsg[] = [];
  /** Messages delivered and not ended: waiting or being settled. */
  readonly #held = new Set<JsMsg>();
  #isClosed = false;
  #settling: Promise<void> | undefined;
  #stop: () => Promise<unknown> = async () => undefined;

  constructor(parts: ReadingParts) {
    this.#parts = parts;
    const working = setInterval(() => this.#sayWorking(), parts.ackWaitMs / WORKING_PART);
    this.ended = this.#run()
      .catch((error: unknown) => error)
      .finally(() => clearInterval(working));
  }

  async close(): Promise<void> {
    await this.halt();
    await this.#settling;
    // They are given back, so that the next reader gets them at once and not after the acknowledgement period.
    for (const message of this.#waiting.splice(0)) message.nak();
  }

  /** Accepts no further messages. */
  async halt(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  async #run(): Promise<unknown> {
    const messages = await this.#parts.consumer.consume({
      max_messages: WAITING_MAX,
      abort_on_missing_resource: true,
      // A stream that disappears between two pulls is noticed by two missing heartbeats.
      idle_heartbeat: BEAT_MS,
      callback: (message) => {
        if (this.#isClosed) return message.nak();
        this.#held.add(message);
        this.#waiting.push(message);
        this.#settling ??= this.#settle();
      },
    });
    this.#stop = () => messages.close();
    if (this.#isClosed) await messages.close();
    const error = await messages.closed();
    return this.#isClosed ? undefined : (error ?? new Error('the consumer has ended'));
  }

  async #settle(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const batch = this.#waiting.splice(0, WAITING_MAX).map((message) => this.#messageOf(message));
      await settle(batch, this.#parts.deliver, this.#parts.log);
    }
    this.#settling = undefined;
  }

  #messageOf(message: JsMsg): QueueMessage {
    const letGo = () => this.#held.delete(message);
    return {
      text: new TextDecoder().decode(message.data),
      deliveryCount: message.info.redeliveryCount,
      async done() {
        letGo();
        message.ack();
      },
      async again(afterMs) {
        letGo();
        message.nak(afterMs);
      },
      bury: (reason) => this.#parts.bury(message, reason).finally(letGo),
    };
  }

  #sayWorking(): void {
    for (const message of this.#held) message.working();
  }
}

/** Copies a message to `<queue>.dead` with its reason, and ends it when the copy is stored. */
function burial(manager: JetStreamManager, client: JetStreamClient, order: QueueOrder) {
  const subject = `${order.queueName}.dead`;
  return async (message: JsMsg, reason: string): Promise<void> => {
    await ensureStream(manager, subject, { max_age: nanos(DEAD_KEPT_MS), max_bytes: DEAD_BYTES_MAX });
    const reasonHeaders = headers();
    reasonHeaders.set('Millrace-Reason', reason.replace(/[^\x20-\x7e]/g, '?').slice(0, REASON_CHARS_MAX));
    reasonHeaders.set('Millrace-Strike', String(order.strikeId));
    const msgID = `${message.info.stream}-${message.info.streamSequence}-${order.strikeId}`;
    await client.publish(subject, message.data, { headers: reasonHeaders, msgID, timeout: CALL_MS });
    message.term();
  };
}

interface Limits {
  readonly max_age: number;
  readonly max_bytes: number;
  readonly max_msg_size?: number;
}

function liveLimits(): Limits {
  return { max_age: nanos(KEPT_MS), max_bytes: STREAM_BYTES_MAX, max_msg_size: 2 * NOTIFICATION_BYTES_MAX };
}

/** The name of the stream that keeps the subject; created with these limits if there is none. */
async function ensureStream(manager: JetStreamManager, subject: string, limits: Limits): Promise<string> {
  const found = await findStream(manager, subject);
  if (found !== undefined) return found;
  const name = streamName(subject);
  try {
    await manager.streams.add({
      name,
      subjects: [subject],
      description: 'notifications of object stores, for strikes of Millrace',
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      ...limits,
    });
    return name;
  } catch (error) {
    // Another process may have created one meanwhile.
    const made = await findStream(manager, subject);
    if (made === undefined) throw error;
    return made;
  }
}

async function findStream(manager: JetStreamManager, subject: string): Promise<string | undefined> {
  return (await manager.streams.names(subject).next())[0];
}

async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  wanted: Partial<ConsumerConfig> & { readonly durable_name: string },
): Promise<void> {
  const found = await manager.consumers
    .info(stream, wanted.durable_name)
    .catch(unlessCode(CONSUMER_NOT_FOUND));
  if (found === undefined) await manager.consumers.add(stream, wanted);
  else if (
    found.config.ack_wait !== wanted.ack_wait ||
    found.config.max_ack_pending !== wanted.max_ack_pending
  )
    await manager.consumers.update(stream, wanted.durable_name, wanted);
}

function unlessCode(code: number): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof NatsError && error.api_error?.err_code === code) return undefined;
    throw error;
  };
}

function consumerName(strikeId: number): string {
  return `millrace-strike-${strikeId}`;
}

/** Letters, digits and dashes of the subject, and a suffix that distinguishes subjects with the same ones. */
export function streamName(subject: string): string {
  const slug = subject.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
  return `millrace-${slug}-${createHash('sha256').update(subject).digest('hex').slice(0, 8)}`;
}

/**
 * Queues of SQS: messages are fetched by long polling, and deleted after the commit of their objects. An unusable
 * message is kept, hidden for a while each time, until the queue's own redrive policy or retention removes it.
 */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { assert } from '../lib/assert.ts';
import type { Logger } from '../lib/logger.ts';
import type { Deliver, QueueMessage, QueueOrder, Reading } from './queue.ts';
import { settle } from './settle.ts';

export interface SqsOptions {
  readonly log: Logger;
  /** For tests. Absent: AWS by region, or the host's settings of the SDK. */
  readonly endpoint?: string;
  readonly waitS?: number;
}

const WAIT_S = 20;
/** How long delivered messages are hidden; a delivery's deadline is shorter. */
const HIDDEN_S = 120;
/** How long an unreadable message is hidden after each attempt. */
const BURIED_S = 900;
/** Most messages of one call. */
const MESSAGES_MAX = 10;
/** Most calls at once, while there are many messages. */
const CALLS_MAX = 4;

export class SqsQueues {
  readonly #options: SqsOptions;

  constructor(options: SqsOptions) {
    this.#options = options;
  }

  /** Rejects when the queue cannot be found. */
  async read(order: QueueOrder, deliver: Deliver): Promise<Reading> {
    const client = this.#client(order);
    try {
      const url = await queueUrl(client, order.queueName);
      const log = this.#options.log.child({ strikeId: order.strikeId });
      return new SqsReading({ client, url, deliver, log, waitS: this.#options.waitS ?? WAIT_S });
    } catch (error) {
      client.destroy();
      throw error;
    }
  }

  /** Does nothing, because SQS stores nothing for a strike. */
  async forget(): Promise<void> {}

  #client({ region, keys }: QueueOrder): SQSClient {
    const { endpoint } = this.#options;
    return new SQSClient({
      ...(region === undefined ? {} : { region }),
      ...(keys === undefined ? {} : { credentials: keys }),
      ...(endpoint === undefined ? {} : { endpoint }),
      maxAttempts: 3,
    });
  }
}

async function queueUrl(client: SQSClient, queueName: string): Promise<string> {
  if (queueName.startsWith('https://')) return queueName;
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: queueName }));
  assert(QueueUrl !== undefined, 'SQS answers the URL of a queue that it has');
  return QueueUrl;
}

interface SqsParts {
  readonly client: SQSClient;
  readonly url: string;
  readonly deliver: Deliver;
  readonly log: Logger;
  readonly waitS: number;
}

class SqsReading implements Reading {
  readonly ended: Promise<unknown>;
  readonly #parts: SqsParts;
  readonly #stopping = new AbortController();

  constructor(parts: SqsParts) {
    this.#parts = parts;
    this.ended = this.#run().then(
      () => undefined,
      (error: unknown) => (this.#stopping.signal.aborted ? undefined : error),
    );
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.ended;
    this.#parts.client.destroy();
  }

  async #run(): Promise<void> {
    let callCount = 1;
    while (!this.#stopping.signal.aborted) {
      const calls = Array.from({ length: callCount }, () => this.#receive());
      const received = await Promise.all(calls);
      const isPlenty = received.every((messages) => messages.length === MESSAGES_MAX);
      callCount = isPlenty ? CALLS_MAX : 1;
      const messages = received.flat().map((message) => this.#messageOf(message));
      await settle(messages, this.#parts.deliver, this.#parts.log);
    }
  }

  async #receive(): Promise<readonly Message[]> {
    const { client, url, waitS } = this.#parts;
    const command = new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: MESSAGES_MAX,
      WaitTimeSeconds: waitS,
      VisibilityTimeout: HIDDEN_S,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    const received = await client.send(command, { abortSignal: this.#stopping.signal });
    return received.Messages ?? [];
  }

  #messageOf(message: Message): QueueMessage {
    const { client, url: QueueUrl } = this.#parts;
    const { ReceiptHandle, Body = '', Attributes } = message;
    const hide = async (seconds: number): Promise<void> => {
      const VisibilityTimeout = Math.ceil(seconds);
      await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    };
    return {
      text: Body,
      deliveryCount: Number(Attributes?.ApproximateReceiveCount ?? 1),
      done: async () => {
        await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      },
      again: (afterMs) => hide(afterMs / 1_000),
      bury: () => hide(BURIED_S),
    };
  }
}

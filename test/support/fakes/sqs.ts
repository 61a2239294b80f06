/**
 * A fake of SQS in memory: its wire protocol (JSON 1.0 over HTTP) for reading a queue. Redrive policies, checks of
 * signatures and throttling are not implemented.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Held {
  readonly id: string;
  readonly body: string;
  visibleAtMs: number;
  receiveCount: number;
  receipt: string;
}

type Call = Readonly<Record<string, unknown>>;

export interface SqsDouble {
  readonly endpoint: string;
  /** The `Authorization` headers of the calls. */
  readonly authorizations: string[];
  readonly calls: { readonly action: string; readonly call: Call }[];
  send(body: string): void;
  /** The number of messages that are neither deleted nor hidden. */
  visible(): number;
  held(): number;
  /** Makes all hidden messages visible. */
  reveal(): void;
  /** Called before each call; may throw to refuse it. */
  before: (action: string) => void;
  close(): Promise<void>;
}

export async function sqsDouble(queueName: string): Promise<SqsDouble> {
  const messages = new Map<string, Held>();
  let count = 0;
  const now = () => performance.now();
  const visible = () => [...messages.values()].filter((one) => one.visibleAtMs <= now());
  const double: SqsDouble = {
    endpoint: '',
    authorizations: [],
    calls: [],
    send(body) {
      const id = `m${++count}`;
      messages.set(id, { id, body, visibleAtMs: 0, receiveCount: 0, receipt: '' });
    },
    visible: () => visible().length,
    held: () => messages.size,
    reveal() {
      for (const one of messages.values()) one.visibleAtMs = 0;
    },
    before: () => undefined,
    close: async () => undefined,
  };
  const byReceipt = (call: Call) => [...messages.values()].find((one) => one.receipt === call.ReceiptHandle);
  const actions: Record<string, (call: Call) => unknown> = {
    GetQueueUrl({ QueueName }) {
      if (QueueName !== queueName) throw new Error('QueueDoesNotExist');
      return { QueueUrl: `${double.endpoint}/000000000000/${queueName}` };
    },
    ReceiveMessage({ MaxNumberOfMessages, VisibilityTimeout }) {
      const given = visible().slice(0, Number(MaxNumberOfMessages));
      return {
        Messages: given.map((one) => {
          one.visibleAtMs = now() + Number(VisibilityTimeout) * 1_000;
          one.receiveCount += 1;
          one.receipt = `${one.id}-${one.receiveCount}`;
          const Attributes = { ApproximateReceiveCount: String(one.receiveCount) };
          const MD5OfBody = createHash('md5').update(one.body).digest('hex');
          return { MessageId: one.id, ReceiptHandle: one.receipt, Body: one.body, MD5OfBody, Attributes };
        }),
      };
    },
    DeleteMessage(call) {
      const found = byReceipt(call);
      if (found !== undefined) messages.delete(found.id);
      return {};
    },
    ChangeMessageVisibility(call) {
      const found = byReceipt(call);
      if (found !== undefined) found.visibleAtMs = now() + Number(call.VisibilityTimeout) * 1_000;
      return {};
    },
  };
  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '');
    const call = JSON.parse(await bodyOf(request)) as Call;
    double.authorizations.push(String(request.headers.authorization));
    double.calls.push({ action, call });
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    try {
      double.before(action);
      response.end(JSON.stringify(actions[action]?.(call)));
    } catch (error) {
      response.statusCode = 400;
      const type = `com.amazonaws.sqs#${(error as Error).message}`;
      response.end(JSON.stringify({ __type: type, message: (error as Error).message }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(double, {
    endpoint: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

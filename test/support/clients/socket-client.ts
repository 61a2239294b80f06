/** A client for WebSockets that gathers messages and waits for conditions, and a function for refused upgrades. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of any shape
type Message = any;
type Headers = Readonly<Record<string, string>>;

export class SocketClient {
  readonly messages: Message[] = [];
  /** Every message of the service, also those that were taken out of the list. */
  readonly all: Message[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #socket: WebSocket;
  #onChange: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data));
      this.messages.push(message);
      this.all.push(message);
      this.#changed();
    });
    socket.addEventListener('close', ({ code, reason }) => {
      this.closed = { code, reason };
      this.#changed();
    });
  }

  static async open(url: string, headers: Headers = {}): Promise<SocketClient> {
    const client = new SocketClient(new WebSocket(url.replace('http', 'ws'), { headers }));
    await new Promise<void>((resolve, reject) => {
      client.#socket.addEventListener('open', () => resolve());
      client.#socket.addEventListener('error', () => reject(new Error('the WebSocket was refused')));
    });
    return client;
  }

  /** Objects are sent as JSON, texts and bytes as they are. */
  send(message: object | string | Uint8Array<ArrayBuffer>): void {
    const isRaw = typeof message === 'string' || message instanceof Uint8Array;
    this.#socket.send(isRaw ? message : JSON.stringify(message));
  }

  close(): void {
    this.#socket.close();
  }

  async until(isFulfilled: (client: this) => boolean): Promise<void> {
    while (!isFulfilled(this)) await new Promise<void>((resolve) => this.#onChange.push(resolve));
  }

  /** The next message of this type, taken out of the list. */
  async next(type: string): Promise<Message> {
    const find = () => this.messages.findIndex((message) => message.type === type);
    await this.until(() => find() >= 0 || this.closed !== undefined);
    return this.messages.splice(find(), 1)[0];
  }

  /** Changes of a subscription. */
  changesOf(id: string): Message[] {
    return this.messages.flatMap((message) =>
      message.type === 'changes' && message.id === id ? message.changes : [],
    );
  }

  #changed(): void {
    for (const resolve of this.#onChange.splice(0)) resolve();
  }
}

/** Requests a WebSocket; resolves with the refusal, or the bare connection. */
export function askForSocket(
  url: string,
  headers: Headers = {},
): Promise<
  { readonly status: number; readonly json: Message } | { readonly status: 101; readonly socket: Socket }
> {
  const asked = request(url, {
    headers: {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      ...{ 'sec-websocket-key': randomBytes(16).toString('base64'), ...headers },
    },
  });
  asked.end();
  return new Promise((resolve, reject) => {
    asked.on('error', reject);
    asked.on('upgrade', (_response, socket) => resolve({ status: 101, socket: socket as Socket }));
    asked.on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, json: JSON.parse(await text(response)) });
    });
  });
}

/** A short text as a frame of a client. */
export function frame(message: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}

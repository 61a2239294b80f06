/**
 * Sends the same request again and again over kept connections, with little work of its own: an ordinary client takes
 * more processor time a request than the service does, and on few cores would be what is measured.
 */
import { connect, type Socket } from 'node:net';

const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** One connection, one request at a time. */
class Connection {
  readonly #socket: Socket;
  #buffer = '';
  #waiting: { resolve(body: string): void; reject(error: Error): void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (text) => this.#take(String(text)));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the service closed the connection')));
  }

  /** False once the service has closed it, as it does when nothing is sent for a while. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** Resolves with the body of a 2xx answer, as Latin-1. */
  send(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      // A write to a closed socket reports no error.
      if (!this.isOpen) throw new Error('the service closed the connection');
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#buffer += text;
    const head = this.#buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(LENGTH.exec(this.#buffer)?.[1] ?? 0);
    if (this.#buffer.length < head + 4 + length) return;
    const answer = this.#buffer;
    this.#buffer = '';
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (answer.startsWith('HTTP/1.1 2')) waiting?.resolve(answer.slice(head + 4));
    else waiting?.reject(new Error(answer.slice(0, 500)));
  }
}

/** Posts the same JSON whenever it is told to, over kept connections, as many as wait at the same time. */
export class Poster {
  readonly #base: URL;
  readonly #request: string;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];

  constructor(base: string, path: string, body: object) {
    this.#base = new URL(base);
    const text = JSON.stringify(body);
    this.#request = requestOf(this.#base, postHead(path, text), text);
  }

  /** Resolves with the body of the answer; rejects if it is not 2xx. */
  async post(): Promise<string> {
    const connection = this.#takeFree() ?? this.#open();
    const answer = await connection.send(this.#request);
    this.#free.push(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #takeFree(): Connection | undefined {
    let free = this.#free.pop();
    while (free?.isOpen === false) free = this.#free.pop();
    return free;
  }

  #open(): Connection {
    const connection = new Connection(connect(Number(this.#base.port), this.#base.hostname));
    this.#all.push(connection);
    return connection;
  }
}

function postHead(path: string, text: string): string {
  const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return `POST ${path} HTTP/1.1\r\n${length}`;
}

function requestOf({ hostname, port }: URL, head: string, body: string): string {
  return `${head}\r\nhost: ${hostname}:${port}\r\n\r\n${body}`;
}

/** `count` times the same JSON over so many connections; rejects with the first answer that is not 2xx. */
export function postMany(
  base: string,
  path: string,
  body: object,
  count: number,
  connections: number,
): Promise<void> {
  const text = JSON.stringify(body);
  return sendMany(base, postHead(path, text), text, { count, connections });
}

/** As postMany, without a body. */
export function getMany(base: string, path: string, count: number, connections: number): Promise<void> {
  return sendMany(base, `GET ${path} HTTP/1.1`, '', { count, connections });
}

async function sendMany(
  base: string,
  head: string,
  body: string,
  { count, connections }: { readonly count: number; readonly connections: number },
): Promise<void> {
  const url = new URL(base);
  const request = requestOf(url, head, body);
  let next = 0;
  const work = async (): Promise<void> => {
    const connection = new Connection(connect(Number(url.port), url.hostname));
    try {
      while (next < count) {
        next += 1;
        await connection.send(request);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, connections) }, work));
}

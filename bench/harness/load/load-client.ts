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
  #waiting: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (text) => this.#take(String(text)));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the service closed the connection')));
  }

  send(request: string): Promise<void> {
    return new Promise((resolve, reject) => {
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
    if (answer.startsWith('HTTP/1.1 2')) waiting?.resolve();
    else waiting?.reject(new Error(answer.slice(0, 500)));
  }
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
  const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return sendMany(base, `POST ${path} HTTP/1.1\r\n${length}`, text, { count, connections });
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
  const { hostname, port } = new URL(base);
  const request = `${head}\r\nhost: ${hostname}:${port}\r\n\r\n${body}`;
  let next = 0;
  const work = async (): Promise<void> => {
    const connection = new Connection(connect(Number(port), hostname));
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

/** Requests as they are: paths, headers and bodies go out as given, and every answer has a deadline. */
import { Agent, request } from 'node:http';

export interface Sent {
  readonly method: string;
  /** Path and query, encoded as it shall go out. */
  readonly target: string;
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any;
}

// Long, because loaded machines are slow: it only ends what hangs.
const DEADLINE_MS = 60_000;

export class Sender {
  readonly #base: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(base: string) {
    this.#base = new URL(base);
  }

  /** Throws when the connection is lost, or nothing is answered in time. */
  send(sent: Sent): Promise<Answer> {
    const bytes = toBytes(sent.body);
    const isJson = bytes !== undefined;
    const headers = {
      ...(isJson ? { 'content-type': 'application/json', 'content-length': `${bytes.byteLength}` } : {}),
      ...sent.headers,
    };
    return new Promise((resolve, reject) => {
      const call = request({
        ...{ host: this.#base.hostname, port: this.#base.port, agent: this.#agent },
        ...{ method: sent.method, path: sent.target, headers },
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      call.on('error', reject);
      call.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const type = `${response.headers['content-type']}`;
          // An answer to HEAD has a type, and no body.
          const json = type.startsWith('application/json') && text !== '' ? JSON.parse(text) : undefined;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
      });
      call.end(bytes);
    });
  }

  /** Answers in the order of the requests, a few at a time. What is not answered is status 0 with the reason. */
  async sendAll(all: readonly Sent[]): Promise<Answer[]> {
    const answers: Answer[] = new Array(all.length);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < all.length; index = next++) {
        answers[index] = await this.send(all[index] as Sent).catch((error: unknown) => {
          return { status: 0, headers: {}, text: `not answered: ${error}`, json: undefined };
        });
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    return answers;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function toBytes(body: unknown): Uint8Array | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

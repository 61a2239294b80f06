/**
 * A TCP address in front of a service: hosts reach one that listens on a socket file or elsewhere, can be cut from it,
 * and can find it slow.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** The path of a socket file, which may come and go, or an address. */
type Target = string | { readonly host: string; readonly port: number };

const SLICE_MS = 20;

export class Relay {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #isCut = false;
  #bytesPerSecond = Number.POSITIVE_INFINITY;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(host: string, target: Target, port = 0): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server);
    server.on('connection', (client) => relay.#join(client, target));
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject);
      server.listen(port, host, resolve);
    });
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Every connection is reset; new ones too, until `heal`. */
  cut(): void {
    this.#isCut = true;
    this.reset();
  }

  heal(): void {
    this.#isCut = false;
    this.#bytesPerSecond = Number.POSITIVE_INFINITY;
  }

  /** Slows each connection in each direction until `heal`, those that are open already too. */
  slow(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Ends the connections there are. */
  reset(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async stop(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, target: Target): void {
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const service = typeof target === 'string' ? connect(target) : connect(target.port, target.host);
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.#open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#open.delete(one);
        other.destroy();
      });
      one.pipe(this.#brake()).pipe(other);
    }
  }

  #brake(): Transform {
    // Small chunks add up: each is shorter than a timer's slice.
    let dueAt = 0;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const now = performance.now();
        dueAt = Math.max(dueAt, now) + (chunk.length * 1_000) / this.#bytesPerSecond;
        const ms = dueAt - now;
        if (ms < SLICE_MS) done(null, chunk);
        else setTimeout(() => done(null, chunk), ms);
      },
    });
  }
}

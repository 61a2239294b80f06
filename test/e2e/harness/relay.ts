/** A TCP address in front of a service: hosts reach one that listens on a socket file, and can be cut from it. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Relay {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #isCut = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `target`: the path of a socket file; it may come and go. */
  static async start(host: string, target: string): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server);
    server.on('connection', (client) => relay.#join(client, target));
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject);
      server.listen(0, host, resolve);
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
  }

  /** Ends the connections there are. */
  reset(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async stop(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, target: string): void {
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const service = connect(target);
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
      one.pipe(other);
    }
  }
}

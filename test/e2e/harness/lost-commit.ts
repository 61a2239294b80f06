/** A way to PostgreSQL that can lose the answer to a commit: the server has done it, and nobody hears of it. */
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Server,
  type Socket,
} from 'node:net';

export class CommitLoser {
  readonly #server: Server;
  readonly #databaseUrl: string;
  readonly #open = new Set<Socket>();
  #statement: string | undefined;
  /** How many answers were lost. */
  lostCount = 0;

  private constructor(server: Server, databaseUrl: string) {
    this.#server = server;
    this.#databaseUrl = databaseUrl;
  }

  static async start(databaseUrl: string): Promise<CommitLoser> {
    const server = createServer();
    const loser = new CommitLoser(server, databaseUrl);
    const target = targetOf(new URL(databaseUrl));
    server.on('connection', (client) => loser.#join(client, connect(target)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return loser;
  }

  /** The URL of the database, this way. */
  get url(): string {
    const url = new URL(this.#databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** The next commit of a transaction that has run the named statement loses its answer, and its connection. */
  loseNext(statement: string): void {
    this.#statement = statement;
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, server: Socket): void {
    let isMeant = false;
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#open.delete(one);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      isMeant ||= this.#statement !== undefined && chunk.includes(this.#statement);
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (!isMeant || !chunk.includes('COMMIT\0')) {
        client.write(chunk);
        return;
      }
      this.#statement = undefined;
      this.lostCount += 1;
      client.destroy();
    });
  }
}

/** A host that is a path is the folder of the server's socket. */
function targetOf({ hostname, port }: URL): NetConnectOpts {
  const host = decodeURIComponent(hostname);
  if (host.startsWith('/')) return { path: `${host}/.s.PGSQL.${port || '5432'}` };
  return { host, port: Number(port || 5432) };
}

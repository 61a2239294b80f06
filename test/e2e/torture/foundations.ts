/** What an installation stands on, and can lose: PostgreSQL, NATS, an S3 server, a container engine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { connect, type NatsConnection } from 'nats';
import { Client } from 'pg';
import type { Test } from 'tap';
import { type EmbeddedServer, startEmbedded } from '../../../src/embedded/postgres.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { testRegistry } from '../../support/registry.ts';
import { type TestBucket, testBucket } from '../../support/s3/bucket.ts';
import { startChild, stopChild } from '../../support/services/child.ts';
import { findProgram } from '../../support/services/find-program.ts';
import { freePort } from '../../support/services/free-port.ts';
import { serviceUrl } from '../../support/services/services.ts';
import type { Hosts } from '../harness/hosts.ts';
import { Relay } from '../harness/relay.ts';

const log = createLogger({ level: 'error', name: 'torture-postgres' });
/** PostgreSQL's code while it starts, recovers or stops. */
const CANNOT_CONNECT_NOW = '57P03';
const RECOVERY_MS_MAX = 60_000;
const RECOVERY_LOOK_MS = 100;
const OCI_PROGRAMS = ['runc', 'skopeo', 'umoci', 'docker-registry'];

/** Whether containers can be run here without an engine too. */
export const hasOci = (): boolean => OCI_PROGRAMS.every((name) => findProgram(name) !== undefined);

export class Database {
  /** The way to it for coordinators. */
  readonly relay: Relay;
  readonly #folder: string;
  #server: EmbeddedServer;

  private constructor(folder: string, server: EmbeddedServer, relay: Relay) {
    this.#folder = folder;
    this.#server = server;
    this.relay = relay;
  }

  static async start(folder: string, address: string): Promise<Database> {
    const server = await startServer(folder);
    return new Database(folder, server, await Relay.start(address, socketOf(server.url)));
  }

  get url(): string {
    return this.#server.url;
  }

  async restart(): Promise<void> {
    await this.#server.stop();
    this.#server = await startServer(this.#folder);
  }

  /** The server ends each connection but the asking one; resolves with their number. */
  async terminateConnections(): Promise<number> {
    const pids = await this.#backends();
    // One by one: the order in which a statement looks at its conditions is nobody's promise.
    const ended = pids.map((pid) => `pg_terminate_backend(${pid})`).join(', ');
    if (pids.length > 0) await this.ask(`select ${ended}`);
    return pids.length;
  }

  /** One process of the server is killed, so that it takes all its connections down and recovers. */
  async killBackend(): Promise<void> {
    const [pid] = await this.#backends();
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }

  async #backends(): Promise<readonly number[]> {
    const rows = await this.ask<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows.map(({ pid }) => pid);
  }

  ask<T>(sql: string): Promise<readonly T[]> {
    return this.#asked([sql]);
  }

  /** One transaction that neither references nor triggers look at; resolves with the rows of its last statement. */
  unguarded<T>(statements: readonly string[]): Promise<readonly T[]> {
    return this.#asked(['begin', 'set local session_replication_role = replica', ...statements], 'commit');
  }

  /**
   * Until the answer is called no actor saves anything: each commit looks at its lease, and so does each renewal. What
   * only reads continues.
   */
  async holdActors(): Promise<() => Promise<void>> {
    const client = await this.#connect();
    await client.query('begin');
    await client.query('lock table shard_lease in exclusive mode');
    return () => client.end();
  }

  /** Waits while the server recovers from a backend that was killed before. */
  async #connect(): Promise<Client> {
    for (const end = Date.now() + RECOVERY_MS_MAX; ; await sleep(RECOVERY_LOOK_MS)) {
      const client = new Client({ connectionString: this.url });
      client.on('error', () => undefined); // told by the query as well
      try {
        await client.connect();
        return client;
      } catch (error) {
        await client.end().catch(() => undefined);
        const isRecovering = error instanceof Error && 'code' in error && error.code === CANNOT_CONNECT_NOW;
        if (!isRecovering || Date.now() > end) throw error;
      }
    }
  }

  async #asked<T>(statements: readonly string[], end?: string): Promise<readonly T[]> {
    const client = await this.#connect();
    try {
      let rows: readonly T[] = [];
      for (const statement of statements) rows = (await client.query(statement)).rows as T[];
      if (end !== undefined) await client.query(end);
      return rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    await this.relay.stop();
    await this.#server.stop();
  }
}

function startServer(folder: string): Promise<EmbeddedServer> {
  const dataDir = join(folder, 'database');
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  return startEmbedded({
    dataDir,
    log,
    connectionsMax: 100,
    fallbackRoot: join(folder, 'database-elsewhere'),
  });
}

/** The folder of the socket is the host, and the same after every restart. */
function socketOf(url: string): string {
  return join(decodeURIComponent(/@([^:/]+)/.exec(url)?.[1] ?? ''), '.s.PGSQL.5432');
}

export class Nats {
  readonly url: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #connection: NatsConnection | undefined;

  private constructor(folder: string, url: string) {
    this.#folder = folder;
    this.url = url;
  }

  static async start(folder: string, address: string): Promise<Nats> {
    const nats = new Nats(folder, `nats://${address}:${await freePort()}`);
    nats.begin();
    return nats;
  }

  begin(): void {
    const program = findProgram('nats-server');
    if (program === undefined) throw new Error('no nats-server');
    const { hostname, port } = new URL(this.url);
    const args = ['-a', hostname, '-p', port, '-js', '-sd', join(this.#folder, 'jetstream')];
    this.#child = startChild(program, args, join(this.#folder, 'nats-server.out'));
  }

  /** What it has been told stays on its disk. */
  async end(): Promise<void> {
    if (this.#child !== undefined) await stopChild(this.#child, 1_000);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  /** Tells of an object; while nobody listens the message is lost, as a store would lose it that keeps none. */
  async publish(subject: string, text: string): Promise<boolean> {
    try {
      this.#connection ??= await connect({ servers: new URL(this.url).host, timeout: 1_000 });
      await this.#connection.jetstream().publish(subject, text, { timeout: 1_000 });
      return true;
    } catch {
      const broken = this.#connection;
      this.#connection = undefined;
      await broken?.close().catch(() => undefined);
      return false;
    }
  }

  async stop(): Promise<void> {
    this.signal('SIGCONT');
    await this.#connection?.close().catch(() => undefined);
    await this.end();
  }
}

export interface Store {
  /** As the test itself reaches it, whatever is done to the way there. */
  readonly bucket: TestBucket;
  /** The way that coordinators and agents have. */
  readonly relay: Relay;
  readonly endpoint: string;
}

export async function openStore(t: Test, address: string): Promise<Store> {
  const bucket = await testBucket(t);
  const { hostname, port } = new URL(bucket.endpoint);
  const relay = await Relay.start(address, { host: hostname, port: Number(port) });
  return { bucket, relay, endpoint: `http://${address}:${relay.port}` };
}

export interface Containers {
  readonly engine: Docker;
  readonly engineUrl: string;
  /** Known to the engine, and to be pulled on the host of `oci`. */
  readonly image: string;
}

/** An image that the engine has, and a registry on one host's loopback: elsewhere it would need TLS. */
export async function openContainers(t: Test, hosts: Hosts, oci: string | undefined): Promise<Containers> {
  const engineUrl = await serviceUrl('docker');
  const engine = engineAt(engineUrl);
  await ensureBusyboxImage(engine);
  if (oci === undefined) return { engine, engineUrl, image: BUSYBOX_IMAGE };
  const registry = await testRegistry(t);
  await registry.push('torture/tool', '1');
  await engine.getImage(BUSYBOX_IMAGE).tag({ repo: `${registry.address}/torture/tool`, tag: '1' });
  const image = `${registry.address}/torture/tool:1`;
  const port = Number(registry.address.split(':')[1]);
  const relay = await Relay.start(hosts.gateway, { host: '127.0.0.1', port });
  const forward = join(import.meta.dirname, 'forward.ts');
  const [program = '', ...args] = [...hosts.on(oci), process.execPath, forward];
  const child = spawn(program, [...args, String(port), hosts.gateway, String(relay.port)], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH },
  });
  t.teardown(async () => {
    child.stdin.end();
    await relay.stop();
    await engine
      .getImage(image)
      .remove()
      .catch(() => undefined);
  });
  return { engine, engineUrl, image };
}

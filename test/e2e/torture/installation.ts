/** What is tortured: two coordinators and two agents on hosts of their own, a database and NATS that come and go. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { InterfaceClient } from '../../../src/cli/demo/interface-client.ts';
import { type EmbeddedServer, startEmbedded } from '../../../src/embedded/postgres.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { startChild, stopChild } from '../../support/services/child.ts';
import { findProgram } from '../../support/services/find-program.ts';
import { Hosts } from '../harness/hosts.ts';
import type { Program } from '../harness/program.ts';
import { Relay } from '../harness/relay.ts';
import { createWorld, freePort, type World } from '../harness/world.ts';

export const COORDINATORS = ['c1', 'c2'] as const;
export const AGENTS = ['a1', 'a2'] as const;
export type Host = (typeof COORDINATORS | typeof AGENTS)[number];

const log = createLogger({ level: 'error', name: 'torture-postgres' });

export class Installation {
  readonly world: World;
  readonly hosts: Hosts;
  readonly relay: Relay;
  readonly #natsPort: number;
  readonly #programs = new Map<Host, Program>();
  #database: EmbeddedServer;
  #nats: ChildProcess | undefined;

  private constructor(parts: {
    world: World;
    hosts: Hosts;
    relay: Relay;
    natsPort: number;
    database: EmbeddedServer;
  }) {
    this.world = parts.world;
    this.hosts = parts.hosts;
    this.relay = parts.relay;
    this.#natsPort = parts.natsPort;
    this.#database = parts.database;
  }

  static async start(t: Test): Promise<Installation> {
    const world = await createWorld(t);
    const hosts = Hosts.create(t, [...COORDINATORS, ...AGENTS]);
    const database = await startDatabase(world);
    const relay = await Relay.start(hosts.gateway, socketOf(database.url));
    const natsPort = await freePort();
    const all = new Installation({ world, hosts, relay, natsPort, database });
    t.teardown(() => all.#stop());
    all.startNats();
    await Promise.all(COORDINATORS.map((host) => all.start(host)));
    await Promise.all(AGENTS.map((host) => all.start(host)));
    return all;
  }

  program(host: Host): Program {
    return this.#programs.get(host) as Program;
  }

  client(host: (typeof COORDINATORS)[number]): InterfaceClient {
    return new InterfaceClient(`http://${this.hosts.addressOf(host)}:8080/`);
  }

  async start(host: Host): Promise<void> {
    const address = this.hosts.addressOf(host);
    const isAgent = host === 'a1' || host === 'a2';
    const env = isAgent
      ? {
          MILLRACE_COORDINATORS: COORDINATORS.map((one) => `${this.hosts.addressOf(one)}:8081`).join(','),
          MILLRACE_NODE_NAME: host,
        }
      : {
          DATABASE_URL: `postgresql://millrace@${this.hosts.gateway}:${this.relay.port}/millrace`,
          NATS_URL: `nats://${this.hosts.gateway}:${this.#natsPort}`,
          MILLRACE_HTTP: `${address}:8080`,
          MILLRACE_AUTH: 'off-beyond-loopback',
          MILLRACE_GRPC: `${address}:8081`,
          MILLRACE_NODE_LOST_MS: '8000',
          MILLRACE_SECRET_KEY_FILE: join(this.world.folder, 'secret.key'),
        };
    const command = isAgent ? 'agent' : 'coordinator';
    const tls = { MILLRACE_TLS: 'on', MILLRACE_TLS_DIR: this.#tls(isAgent) };
    this.#programs.set(host, await this.world.start(command, host, { ...env, ...tls }, this.hosts.on(host)));
  }

  async kill(host: Host): Promise<void> {
    await this.program(host).end('SIGKILL');
  }

  startNats(): void {
    const nats = findProgram('nats-server');
    if (nats === undefined) throw new Error('no nats-server');
    const args = ['-a', this.hosts.gateway, '-p', String(this.#natsPort)];
    this.#nats = startChild(nats, args, join(this.world.folder, 'nats-server.out'));
  }

  async stopNats(): Promise<void> {
    if (this.#nats !== undefined) await stopChild(this.#nats, 1_000);
  }

  async restartDatabase(): Promise<void> {
    await this.#database.stop();
    this.#database = await startDatabase(this.world);
  }

  /** Coordinators have the authority; agents ask for what they need. */
  #tls(isAgent: boolean): string {
    const folder = join(this.world.folder, isAgent ? 'no-tls' : 'tls');
    if (isAgent || this.#programs.size > 0) return folder;
    const bin = join(import.meta.dirname, '../../../bin/millrace.js');
    spawnSync(process.execPath, [bin, 'certificates', 'authority', '--dir', folder], { timeout: 30_000 });
    return folder;
  }

  async #stop(): Promise<void> {
    for (const program of this.#programs.values()) {
      program.signal('SIGCONT');
      await program.end('SIGKILL');
    }
    await this.stopNats();
    await this.relay.stop();
    await this.#database.stop();
  }
}

function startDatabase(world: World): Promise<EmbeddedServer> {
  const dataDir = join(world.folder, 'database');
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  return startEmbedded({
    dataDir,
    log,
    connectionsMax: 100,
    fallbackRoot: join(world.folder, 'database-elsewhere'),
  });
}

/** The folder of the socket is the host, and the same after every restart. */
function socketOf(url: string): string {
  return join(decodeURIComponent(/@([^:/]+)/.exec(url)?.[1] ?? ''), '.s.PGSQL.5432');
}

/**
 * What is tortured: two coordinators and two agents on hosts of their own, on services that come and go and on disks
 * that fill. One agent runs containers with the engine, the other without where that can be.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { InterfaceClient } from '../../support/clients/interface-client.ts';
import { Hosts } from '../harness/hosts.ts';
import type { Program } from '../harness/program.ts';
import { createWorld, type World } from '../harness/world.ts';
import { Clocks } from './clocks.ts';
import {
  type Containers,
  Database,
  hasOci,
  Nats,
  openContainers,
  openStore,
  type Store,
} from './foundations.ts';
import { SmallDisk } from './small-disk.ts';

export const COORDINATORS = ['c1', 'c2'] as const;
export const AGENTS = ['a1', 'a2'] as const;
export type Coordinator = (typeof COORDINATORS)[number];
export type Agent = (typeof AGENTS)[number];
export type Host = Coordinator | Agent;

/** MiB. An agent offers nothing where less than a gibibyte is free. */
const DISKS = { a2: 1_600, c1: 32, database: 1_024, archive: 1_024 } as const;
export type DiskName = keyof typeof DISKS;

interface Parts {
  readonly world: World;
  readonly hosts: Hosts;
  readonly database: Database;
  readonly nats: Nats;
  readonly store: Store;
  readonly containers: Containers;
  readonly disks: Readonly<Record<DiskName, SmallDisk>>;
}

export class Installation {
  readonly world: World;
  readonly hosts: Hosts;
  readonly database: Database;
  readonly nats: Nats;
  readonly store: Store;
  readonly containers: Containers;
  readonly disks: Readonly<Record<DiskName, SmallDisk>>;
  readonly clocks: Clocks;
  /** Programs that ended though nobody had ended them, and with what. */
  readonly endedByThemselves: string[] = [];
  readonly #programs = new Map<Host, Program>();
  readonly #isEnding = new WeakSet<Program>();
  #launches = 0;

  private constructor(parts: Parts) {
    this.world = parts.world;
    this.hosts = parts.hosts;
    this.database = parts.database;
    this.nats = parts.nats;
    this.store = parts.store;
    this.containers = parts.containers;
    this.disks = parts.disks;
    this.clocks = new Clocks(parts.world.folder);
  }

  static async start(t: Test): Promise<Installation> {
    const world = await createWorld(t);
    const { folder } = world;
    const hosts = Hosts.create(t, [...COORDINATORS, ...AGENTS]);
    const disk = (name: DiskName) => new SmallDisk(join(folder, name), DISKS[name], 0o711);
    const disks = { a2: disk('a2'), c1: disk('c1'), database: disk('database'), archive: disk('archive') };
    const { gateway } = hosts;
    const all = new Installation({
      world,
      hosts,
      disks,
      database: await Database.start(folder, gateway),
      nats: await Nats.start(folder, gateway),
      store: await openStore(t, gateway),
      containers: await openContainers(t, hosts, hasOci() ? 'a2' : undefined),
    });
    t.teardown(() => all.#stop());
    mkdirSync(all.shelf);
    await Promise.all(COORDINATORS.map((host) => all.start(host)));
    await Promise.all(AGENTS.map((host) => all.start(host)));
    return all;
  }

  /** A directory that nothing watches. */
  get shelf(): string {
    return join(this.world.folder, 'shelf');
  }

  program(host: Host): Program {
    return this.#programs.get(host) as Program;
  }

  client(host: Coordinator): InterfaceClient {
    return new InterfaceClient(`http://${this.hosts.addressOf(host)}:8080/`);
  }

  async start(host: Host): Promise<void> {
    this.launch(host);
    await this.program(host).ready();
  }

  /** Starts without waiting until it is ready. */
  launch(host: Host): void {
    const isAgent = host === 'a1' || host === 'a2';
    const env = isAgent ? this.#agent(host) : this.#coordinator(host);
    const command = isAgent ? 'agent' : 'coordinator';
    const tls = { MILLRACE_TLS: 'on', MILLRACE_TLS_DIR: this.#tls(isAgent) };
    const all = { ...env, ...tls, ...this.clocks.environment(host) };
    const program = this.world.launch(command, host, all, this.hosts.on(host));
    this.#launches += 1;
    this.#programs.set(host, program);
    void program.exited.then((code) => {
      if (!this.#isEnding.has(program)) this.endedByThemselves.push(`${host} ended by itself, with ${code}`);
    });
  }

  /** How often a program was started again. */
  get restarts(): number {
    return this.#launches - COORDINATORS.length - AGENTS.length;
  }

  async kill(host: Host): Promise<void> {
    await this.#end(this.program(host));
  }

  async #end(program: Program): Promise<void> {
    this.#isEnding.add(program);
    await program.end('SIGKILL');
  }

  /** Whatever is still being done to it ends. */
  healAll(): void {
    this.hosts.healAll();
    this.database.relay.heal();
    this.store.relay.heal();
    for (const disk of Object.values(this.disks)) disk.free();
    this.clocks.healAll();
  }

  #agent(host: Agent): Record<string, string> {
    const executor = host === 'a2' && hasOci() ? 'oci' : 'docker';
    return {
      MILLRACE_COORDINATORS: COORDINATORS.map((one) => `${this.hosts.addressOf(one)}:8081`).join(','),
      MILLRACE_NODE_NAME: host,
      MILLRACE_EXECUTORS: `${executor},process:default`,
      MILLRACE_DOCKER_HOST: this.containers.engineUrl,
    };
  }

  #coordinator(host: Coordinator): Record<string, string> {
    const address = this.hosts.addressOf(host);
    return {
      DATABASE_URL: `postgresql://millrace@${this.hosts.gateway}:${this.database.relay.port}/millrace`,
      NATS_URL: this.nats.url,
      MILLRACE_HTTP: `${address}:8080`,
      MILLRACE_AUTH: 'off-beyond-loopback',
      MILLRACE_GRPC: `${address}:8081`,
      MILLRACE_NODE_LOST_MS: '8000',
      MILLRACE_SECRET_KEY_FILE: join(this.world.folder, 'secret.key'),
    };
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
      await this.#end(program);
    }
    await this.nats.stop();
    await this.store.relay.stop();
    await this.database.stop();
    await this.#removeContainers();
  }

  /** Removes the containers of agents that are gone now. */
  async #removeContainers(): Promise<void> {
    for (const { id } of await this.ownContainers())
      await this.containers.engine.getContainer(id).remove({ force: true, v: true });
  }

  /** Containers of the engine that agents of this installation have begun. */
  async ownContainers(): Promise<
    readonly { readonly id: string; readonly state: string; readonly job: string }[]
  > {
    const all = await this.containers.engine.listContainers({ all: true });
    return all
      .filter(({ Labels }) => Labels['millrace.folder']?.startsWith(this.world.folder))
      .map(({ Id, State, Labels }) => ({ id: Id, state: State, job: Labels['millrace.job'] ?? '' }));
  }
}

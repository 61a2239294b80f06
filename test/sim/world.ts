/** A simulated world put together: processes, cables, disks, database, and what people and senders did in it. */
import { type AnyMessage, address, type KernelLimits, shardOf, type Turn } from '../../src/kernel/mod.ts';
import { MemoryCluster } from '../support/fakes/memory-leases.ts';
import { SimAgent } from './agent/agent.ts';
import { Begins } from './agent/begins.ts';
import { type Run, SimHost } from './agent/host.ts';
import { Cables, type CommitPoint } from './cables.ts';
import { ChangeReaders } from './change-readers.ts';
import { ClockReadings } from './coordinator/clock-readings.ts';
import { type Seams, SimCoordinator, type Surroundings, type Trouble } from './coordinator/coordinator.ts';
import { DATABASE } from './coordinator/database.ts';
import { Ways } from './coordinator/ways.ts';
import { Disks, identityOf } from './disks.ts';
import { NotificationQueue } from './notifications.ts';
import {
  FIRST_ID,
  isBucket,
  isFirstUnableToMark,
  MOUNTS,
  NODES,
  prepare,
  RESOURCES,
  SLOTS,
  STRIKE,
  taskTraitsOf,
  WORKSPACE,
  workspaceUuid,
} from './scenario.ts';
import { Seeded } from './seeded.ts';
import type { Drop, SentRequest } from './sent.ts';
import type { SimProcess, WallClock } from './sim-process.ts';
import { EPOCH_MS, SimTime } from './sim-time.ts';
import { MemoryStore } from './store/memory-store.ts';
import { ServerClock } from './store/server-clock.ts';
import type { TombstoneRow } from './store/tables.ts';

/** Each keeps one kind of draws apart from all others. */
const SALTS = {
  walls: 0x0c10c5,
  starts: 0x57a27,
  ways: 0x6a115,
  changes: 0xc4a6e5,
  versions: 0x7e25,
  limits: 0x11317,
  boots: 0xb007,
};
/** So many lives are of a version that knows no bursts. */
const OLDER = 0.25;
const WITHOUT_BOOTS = 0.3;
/** So many worlds have NATS and streams between coordinators, with the real links over them. */
const LINKED = 0.3;
const RESTART_MS_MAX = 10_000;

export class World {
  readonly seed: number;
  readonly random: Seeded;
  /** Draws what comes on top of what `random` draws. */
  readonly clocks: Seeded;
  /** Draws starts of coordinators that find no database. */
  readonly starts: Seeded;
  readonly ofChanges: Seeded;
  /** Draws when job types and nodes are paused and limited. */
  readonly ofLimits: Seeded;
  readonly versions: Seeded;
  /** Draws losses of power, and who knows of boots. */
  readonly boots: Seeded;
  /** Types of the messages in which several launches, or reports, came together. */
  readonly together: string[] = [];
  readonly changeReaders: ChangeReaders;
  readonly time = new SimTime();
  /** What coordinators reach each other by; undefined: a bus that loses, repeats and reorders. */
  readonly ways: Ways | undefined;
  readonly cables: Cables;
  readonly disks = new Disks();
  readonly cluster: MemoryCluster;
  readonly serverClock: ServerClock;
  readonly store: MemoryStore;
  /** By the strikes that read them. */
  readonly queues: ReadonlyMap<number, NotificationQueue>;
  readonly hosts: readonly SimHost[];
  readonly coordinators = new Map<string, SimCoordinator>();
  readonly clockReadings = new ClockReadings();
  readonly agents = new Map<number, SimAgent>();
  readonly drops: Drop[] = [];
  readonly sentRequests: SentRequest[] = [];
  /** By execution: when its task ran, on the world's time. */
  readonly runs = new Map<number, Run>();
  /** Launches that had to wait for room, and those that were given back. */
  readonly waits: ('waited' | 'given back')[] = [];
  readonly troubles: Trouble[] = [];
  readonly seams: Seams;
  /** Files that agents put into a page. */
  readonly pageSizeMax: number;
  /** Members of a batch's page. */
  readonly membersMax: number;
  /** Jobs of a page of a request for many. */
  readonly jobPage: number;
  /** Bounds of the runtime: small ones are met. */
  readonly limits: Partial<KernelLimits>;
  /** A node whose host goes down with the storm, and never comes back. */
  readonly lostNodeId: number | undefined;
  /** The database has given shards to a coordinator, or saved turns of its. */
  onTaken: (self: string, epochs: ReadonlyMap<number, number>) => void = () => undefined;
  onSaved: (self: string, turns: readonly Turn<unknown>[]) => void = () => undefined;
  /** A coordinator has sent a commit, or its scheduler a read of its rows. */
  onCommitSent: Surroundings['onCommitSent'] = () => undefined;
  onSchedulerRead: (self: string, answer: Promise<unknown>) => void = () => undefined;
  /** Wall clocks of the hosts of coordinators. */
  readonly walls: ReadonlyMap<string, WallClock> = new Map(SLOTS.map((slot) => [slot, { offMs: 0 }]));
  /** The order of arrivals may be told wrongly: a clock that they are told by was stepped. */
  areClocksApart = false;
  /** When a clock was stepped last, or messages that tell of clocks came late. */
  clocksDisturbedMs = Number.NEGATIVE_INFINITY;
  /** The faults are over. */
  isCalm = false;
  readonly #begins = new Begins();
  #nextId = FIRST_ID;
  #lives = 0;
  #contents = 0;

  constructor(seed: number, seams: Seams = {}) {
    this.seed = seed;
    this.seams = seams;
    this.random = new Seeded(seed);
    this.clocks = new Seeded(~seed);
    this.starts = new Seeded(seed ^ SALTS.starts);
    this.pageSizeMax = this.random.pick([1, 3, 1_000]) ?? 1;
    this.limits = {
      groupMax: this.random.pick([1, 3, 500]) ?? 500,
      loadMax: this.random.pick([1, 500]) ?? 500,
      callsMax: this.random.pick([20, 1_000]) ?? 1_000,
      asksMax: this.random.pick([30, 50_000]) ?? 50_000,
      ...{ idBlock: this.random.pick([1, 32]) ?? 32, idBlockMax: 1_024 },
    };
    this.lostNodeId = this.random.chance(0.2) ? this.random.pick([1, 2]) : undefined;
    this.membersMax = this.random.pick([1, 2, 200]) ?? 1;
    this.jobPage = this.random.pick([1, 3, 1_000]) ?? 1;
    this.cables = new Cables(this.time, this.random.fork());
    const ofWays = new Seeded(seed ^ SALTS.ways);
    this.ways = ofWays.chance(LINKED) ? new Ways(this.cables, ofWays, seams) : undefined;
    this.serverClock = new ServerClock(this.time);
    const serverMs = () => this.serverClock.nowMs();
    this.cluster = seams.cluster?.(serverMs) ?? new MemoryCluster(serverMs);
    this.store = new MemoryStore((shard) => this.cluster.epochOf(shard));
    this.queues = new Map(
      [STRIKE.bucket, STRIKE.pail].map((id) => [id, new NotificationQueue(this.time, this.random.fork())]),
    );
    this.ofChanges = new Seeded(seed ^ SALTS.changes);
    this.versions = new Seeded(seed ^ SALTS.versions);
    this.ofLimits = new Seeded(seed ^ SALTS.limits);
    this.boots = new Seeded(seed ^ SALTS.boots);
    this.store.stream.random = this.ofChanges.fork();
    this.changeReaders = new ChangeReaders(this, this.ofChanges.fork());
    prepare(this.store.tables);
    seams.prepared?.(this.store);
    this.hosts = NODES.map((id) => {
      const mayMark = id !== 1 || this.lostNodeId === 2 || !isFirstUnableToMark(seed);
      const parts = { disks: this.disks, random: this.random.fork(), ...taskTraitsOf(seed), mayMark };
      return new SimHost(id, (MOUNTS[id] ?? []).map(workspaceUuid), parts);
    });
  }

  /** By up to two minutes, from the beginning on. */
  #setClocksWrong(): void {
    const own = new Seeded(this.seed ^ SALTS.walls);
    for (const { wall } of this.hosts) if (own.chance(0.6)) wall.offMs = own.int(-120_000, 120_000);
  }

  start(): void {
    this.#setClocksWrong();
    for (const slot of SLOTS) this.startCoordinator(slot);
    for (const host of this.hosts) this.startAgent(host);
    this.changeReaders.begin();
  }

  nextId(n = 1): number[] {
    return Array.from({ length: n }, () => this.#nextId++);
  }

  startCoordinator(slot: string): void {
    if (this.coordinators.has(slot)) return;
    this.#lives += 1;
    const { cables, ways, cluster, store, serverClock, queues, seams, membersMax, jobPage, limits } = this;
    const wall = this.walls.get(slot) as WallClock;
    const coordinator = new SimCoordinator(slot, `${slot}-${this.#lives}`, {
      wall,
      ...{ cables, ways, cluster, store, serverClock, queues, seams, membersMax, jobPage, limits },
      ...{ random: this.random.fork(), ofChanges: this.ofChanges, clockReadings: this.clockReadings },
      nextId: (_kind, n) => this.nextId(n),
      onTrouble: (trouble) => this.troubles.push(trouble),
      onTaken: (self, epochs) => this.onTaken(self, epochs),
      onSaved: (self, turns) => this.onSaved(self, turns),
      onCommitSent: (self, turns, results) => this.onCommitSent(self, turns, results),
      onSchedulerRead: (self, answer) => this.onSchedulerRead(self, answer),
      takesUpdates: !this.versions.chance(OLDER),
      comparesBoots: !this.boots.chance(WITHOUT_BOOTS),
      onTogether: (type) => this.together.push(type),
      onNotified: () => this.#doomReader(slot),
    });
    this.coordinators.set(slot, coordinator);
  }

  /** Those that answer calls. */
  get serving(): SimCoordinator[] {
    return [...this.coordinators.values()].filter((one) => one.isServing && !one.process.isStopped);
  }

  killCoordinator(slot: string): void {
    const coordinator = this.coordinators.get(slot);
    if (coordinator === undefined) return;
    coordinator.process.kill();
    this.coordinators.delete(slot);
    this.clockReadings.end(coordinator.id, this.time.nowMs);
    this.cables.died(coordinator.process);
  }

  /** `namesBoot`: whether it is of a version that names the host's boot; drawn when absent. */
  startAgent(host: SimHost, namesBoot?: boolean): void {
    if (this.agents.has(host.nodeId) || (this.isCalm && host.nodeId === this.lostNodeId)) return;
    const agent = this.#newAgent(host, namesBoot);
    this.agents.set(host.nodeId, agent);
    agent.start();
  }

  #newAgent(host: SimHost, namesBoot = !this.boots.chance(WITHOUT_BOOTS)): SimAgent {
    const takesLaunches = !this.versions.chance(OLDER);
    return new SimAgent(host, {
      ...{ cables: this.cables, addresses: SLOTS, pageSizeMax: this.pageSizeMax, takesLaunches },
      namesBoot: namesBoot || !host.takesEarlierAgent,
      began: (executionId) => this.troubles.push(...this.#begins.note(executionId, host, takesLaunches)),
      waited: (how) => this.waits.push(how),
      ran: (executionId, run) => this.runs.set(executionId, run),
      dial: (process, address) => this.#dial(process, address),
    });
  }

  /** Somebody else's agent under the name of a node: it has the name, nothing else, and gives up after a while. */
  impersonate(nodeId: number, forMs: number): void {
    const empty = { disks: this.disks, random: this.random.fork(), resources: RESOURCES };
    const host = new SimHost(nodeId, [], empty);
    host.agentId = `rival-${this.time.nowMs}`;
    host.boots = 0; // a boot that the node's own host never has
    const rival = this.#newAgent(host);
    rival.start();
    this.time.after(forMs, () => this.#kill(rival));
  }

  /** A host is gone for good, and all that it knew. */
  loseHost(): void {
    if (this.lostNodeId === undefined) return;
    this.killAgent(this.lostNodeId);
    this.hosts.find((one) => one.nodeId === this.lostNodeId)?.replace();
  }

  killAgent(nodeId: number): void {
    const agent = this.agents.get(nodeId);
    if (agent === undefined) return;
    this.agents.delete(nodeId);
    this.#kill(agent);
  }

  #kill(agent: SimAgent): void {
    agent.process.kill();
    agent.watches.forgetAll();
    this.cables.died(agent.process);
  }

  #dial(process: SimProcess, address: string) {
    const coordinator = this.coordinators.get(address);
    if (coordinator?.isListening !== true) return undefined;
    const stream = this.cables.connect(process, coordinator.process);
    if (stream !== undefined) coordinator.gateway.open(stream as never);
    return stream as never;
  }

  disturbClocks(): void {
    this.clocksDisturbedMs = this.time.nowMs;
  }

  /** A sender leaves a file. */
  drop(workspaceId: number, path: string): void {
    this.#contents += 1;
    const sha256 = `content-${this.#contents}`;
    for (const drop of this.drops) {
      if (drop.workspaceId === workspaceId && drop.path === path) drop.isReplaced = true;
    }
    const content = { size: 100 + this.#contents, mtimeMs: this.time.nowMs, sha256 };
    const etag = isBucket(workspaceId) ? { etag: sha256 } : {};
    const file = this.disks.write(workspaceUuid(workspaceId), path, { ...content, ...etag });
    this.drops.push({ workspaceId, path, identity: identityOf(file), sha256, isReplaced: false });
    if (!isBucket(workspaceId)) return;
    const { workspaces } = this.store.tables;
    const object = { bucket: workspaces.at(workspaceId).name, path, size: file.size, etag: sha256 };
    const atMs = EPOCH_MS + this.time.nowMs;
    const { faultRates } = this.cables;
    const event = { ...object, order: this.#contents, atMs };
    if (workspaceId === WORKSPACE.pail)
      this.queues.get(STRIKE.pail)?.tell(event, { ...faultRates, eventsLost: 0 });
    else this.queues.get(STRIKE.bucket)?.tell(event, faultRates);
  }

  /** What a sender left there was purged: nothing is left of it. */
  isPurged({ workspaceId, path, identity }: Drop): boolean {
    const isIt = (one: TombstoneRow) =>
      one.workspaceId === workspaceId && one.filePath === path && one.arrival === identity;
    return this.store.tables.tombstones.where(isIt).length > 0;
  }

  /** Asks an actor through any coordinator that answers calls; its refusal is the asker's. */
  ask<Message extends AnyMessage>(
    kind: string,
    id: number,
    message: Message,
    isNew = false,
  ): Promise<unknown> {
    const asked = this.random.pick(this.serving);
    if (asked === undefined) return Promise.reject(new Error('nobody serves'));
    const answer = asked.system.forward({ kind, key: String(id) }, message, { deadlineMs: 10_000, isNew });
    this.doomOwner(kind, id);
    return answer;
  }

  /** Once in a while whoever is asked dies at what it saves next: what was to follow is said by nobody. */
  doomOwner(kind: string, id: number, random = this.random, rate = this.cables.faultRates.askedDie): void {
    if (!random.chance(rate)) return;
    const slot = this.slotOf(kind, id);
    if (slot === undefined) return;
    const at = random.pick(['before', 'saved', 'sent'] as const) ?? 'saved';
    this.#doom(slot, at, random.next());
  }

  /** The slot of the coordinator that has the actor. */
  slotOf(kind: string, id: number): string | undefined {
    const one = [...this.coordinators.values()].find(({ isServing }) => isServing);
    return one?.system.ownerOf({ kind, key: String(id) })?.httpAddress;
  }

  /** Once in a while whoever is told of objects dies before what it saves next: it may be what it was told. */
  #doomReader(slot: string): void {
    if (this.starts.chance(this.cables.faultRates.notifiedDie))
      this.#doom(slot, 'before', this.starts.next());
  }

  #doom(slot: string, at: CommitPoint, awayFor: number): void {
    this.cables.doom(slot, at, () => {
      this.killCoordinator(slot);
      this.time.after(RESTART_MS_MAX * awayFor, () => this.startCoordinator(slot));
    });
  }

  /** Tells an actor through any coordinator that answers calls. */
  tell(kind: string, id: number, message: AnyMessage): void {
    this.random.pick(this.serving)?.system.tell(address<AnyMessage>(kind, String(id)), message);
  }

  shardOf(kind: string, id: number): number {
    return shardOf(kind, String(id));
  }

  /** The faults are over: everything runs, hears everything else and has all it had at first. */
  heal(): void {
    if (!this.isCalm) this.disturbClocks();
    this.isCalm = true;
    this.cables.joinAll();
    this.cables.pardonAll();
    this.cables.unmuffleAll();
    this.ways?.heal();
    for (const coordinator of this.coordinators.values()) {
      coordinator.process.goOn();
    }
    for (const slot of SLOTS) this.startCoordinator(slot);
    for (const host of this.hosts) {
      host.isFull = false;
      host.errors = [];
      host.onWrite = () => undefined;
      host.onBegun = () => undefined;
      host.resources = { ...RESOURCES };
      for (const uuid of host.usualMounts) host.mounts.add(uuid);
      this.startAgent(host);
    }
    for (const agent of this.agents.values()) {
      agent.process.goOn();
      agent.watches.isOverflowing = false;
    }
  }

  cutDatabase(slot: string): void {
    this.cables.cut(slot, DATABASE);
  }

  joinDatabase(slot: string): void {
    this.cables.join(slot, DATABASE);
  }
}

/** Where strikes watch, and where scans look. */
export const ARRIVAL_WORKSPACES = [WORKSPACE.in, WORKSPACE.drop, WORKSPACE.bucket, WORKSPACE.pail] as const;
export const SCANNED_WORKSPACES = [WORKSPACE.shelf, WORKSPACE.heap] as const;

/** A coordinator of the simulated world: the real kernel and the real actors, between doubles of all the rest. */
import { batchActor } from '../../../src/actors/batch/batch.actor.ts';
import { jobActor } from '../../../src/actors/job/job.actor.ts';
import { jobRequestActor } from '../../../src/actors/job-request/job-request.actor.ts';
import { nodeActor } from '../../../src/actors/node/node.actor.ts';
import { purgeActor } from '../../../src/actors/purge/purge.actor.ts';
import { recipeActor } from '../../../src/actors/recipe/recipe.actor.ts';
import { scanActor } from '../../../src/actors/scan/scan.actor.ts';
import { schedulerActor } from '../../../src/actors/scheduler/scheduler.actor.ts';
import { strikeActor } from '../../../src/actors/strike/strike.actor.ts';
import type { JobRequestRows } from '../../../src/api/job-requests/pages.ts';
import type { PurgeRows } from '../../../src/api/purges/advance.ts';
import { DatabaseClock } from '../../../src/coordinator/database-clock.ts';
import {
  registeringFor,
  StartUp,
  type StartUpOptions,
  untilRunning,
} from '../../../src/coordinator/start-up.ts';
import type { Change } from '../../../src/domain/changes.ts';
import { AgentClock } from '../../../src/domain/node/agent-clock.ts';
import { pulseOf } from '../../../src/domain/node/node-state.ts';
import {
  type AnyActorDef,
  type Clock,
  createSystem,
  type KernelLimits,
  type LeasePort,
  type System,
  type SystemOptions,
  type Transport,
  type Turn,
} from '../../../src/kernel/mod.ts';
import { Secret } from '../../../src/lib/secret.ts';
import type { KeyStore } from '../../../src/store/idempotency/keys.ts';
import type { MemoryCluster } from '../../support/fakes/memory-leases.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Cables } from '../cables.ts';
import type { NotificationQueue } from '../notifications.ts';
import type { Seeded } from '../seeded.ts';
import { SimProcess, type WallClock } from '../sim-process.ts';
import { memoryKeys } from '../store/answer-rows.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import type { ServerClock } from '../store/server-clock.ts';
import type { ClockReadings } from './clock-readings.ts';
import { query } from './database.ts';
import { withoutBoots } from './earlier-version.ts';
import { type AgentSeams, SimGateway } from './gateway.ts';
import { SimInterface } from './interface.ts';
import { simPorts } from './ports.ts';
import { POSITIONS_ACTOR, Positions } from './positions.ts';
import { SimReaders } from './readers.ts';
import type { WaySeams, Ways } from './ways.ts';

export const LOST_AFTER_MS = 20_000;

/** What a seeded bug may put itself between. */
export interface Seams extends WaySeams, AgentSeams {
  actors?(actors: readonly AnyActorDef[], system: () => System): readonly AnyActorDef[];
  options?(options: SystemOptions, cluster: MemoryCluster): SystemOptions;
  purgeRows?(rows: PurgeRows, store: MemoryStore): PurgeRows;
  requestRows?(rows: JobRequestRows): JobRequestRows;
  /** The clock that instants are on. */
  clock?(clock: Clock, host: Clock): Clock;
  agentClock?(): AgentClock;
  cluster?(nowMs: () => number): MemoryCluster;
  startUp?(options: StartUpOptions): StartUp;
  /** Leases at a start. */
  registering?(startUp: StartUp, leases: LeasePort): LeasePort;
  keys?(keys: KeyStore): KeyStore;
  /** Called once a world, with its database. */
  prepared?(store: MemoryStore): void;
}

export interface Trouble {
  /** The law that is broken; absent: no actor throws. */
  readonly law?: string;
  readonly event: string;
  readonly text: string;
}

/** By turn: what its changes came to. */
export type TurnResults = readonly (readonly unknown[])[];

export interface Surroundings {
  readonly cables: Cables;
  /** Undefined: all coordinators hear each other by cables alone. */
  readonly ways: Ways | undefined;
  readonly cluster: MemoryCluster;
  readonly store: MemoryStore;
  readonly serverClock: ServerClock;
  readonly clockReadings: ClockReadings;
  /** The clock of its host. */
  readonly wall: WallClock;
  readonly queues: ReadonlyMap<number, NotificationQueue>;
  readonly random: Seeded;
  /** Draws what happens to the stream of changes. */
  readonly ofChanges: Seeded;
  readonly nextId: (kind: string, n: number) => number[];
  readonly seams: Seams;
  /** Members of a batch's page. */
  readonly membersMax: number;
  /** Jobs of a page of a request for many. */
  readonly jobPage: number;
  readonly limits: Partial<KernelLimits>;
  /** The database has given shards to a coordinator, or saved turns of its. */
  readonly onTaken: (self: string, epochs: ReadonlyMap<number, number>) => void;
  readonly onSaved: (self: string, turns: readonly Turn<unknown>[]) => void;
  /** It has sent a commit, or its scheduler a read of its rows. */
  readonly onCommitSent: (
    self: string,
    turns: readonly Turn<unknown>[],
    results: Promise<TurnResults>,
  ) => void;
  readonly onSchedulerRead: (self: string, answer: Promise<unknown>) => void;
  /** It is of a version that knows `IngestUpdates` and `TaskUpdates`. */
  readonly takesUpdates: boolean;
  /** It is of a version that compares boots. */
  readonly comparesBoots: boolean;
  /** Several launches, or reports, came in one message. */
  readonly onTogether: (type: string) => void;
  /** A strike is asked to take notifications. */
  readonly onNotified: () => void;
  /** Bugs that the kernel saw. */
  readonly onTrouble: (trouble: Trouble) => void;
}

export class SimCoordinator {
  readonly id: string;
  readonly slot: string;
  readonly process: SimProcess;
  /** The database's, as it knows it. */
  readonly clock: DatabaseClock;
  readonly gateway: SimGateway;
  readonly system: System;
  readonly interface: SimInterface;
  readonly positions: Positions;
  /** Agents and other coordinators reach it. */
  isListening = false;
  /** Its start is over: it answers calls. */
  isServing = false;
  readonly #startUp: StartUp;
  readonly #around: Surroundings;
  readonly #readers: SimReaders;

  constructor(slot: string, id: string, around: Surroundings) {
    this.slot = slot;
    this.id = id;
    this.#around = around;
    this.process = new SimProcess(around.cables.time, slot, around.wall);
    this.clock = new DatabaseClock(this.process);
    around.clockReadings.begin(id, around.cables.time.nowMs);
    const { process } = this;
    const { heartbeatMs } = pulseOf(LOST_AFTER_MS);
    this.gateway = new SimGateway({
      ...{ self: id, process, clock: this.clock, heartbeatMs, system: () => this.system },
      ...{ takesUpdates: around.takesUpdates, seams: around.seams, onTogether: around.onTogether },
      newAgentClock: around.seams.agentClock ?? (() => new AgentClock()),
    });
    const { cables, queues } = around;
    this.#readers = new SimReaders({
      ...{ self: id, process, cables, queues, system: () => this.system },
      onNotified: around.onNotified,
      buried: (text) => around.onTrouble({ event: 'a notification was buried', text }),
    });
    this.positions = new Positions({
      ...{ cables, process, rows: around.store.stream, random: around.ofChanges.fork() },
      system: () => this.system,
    });
    const newStartUp = around.seams.startUp ?? ((options) => new StartUp(options));
    this.#startUp = newStartUp({ log: silentLog, stopping: new AbortController().signal, clock: process });
    this.system = createSystem(this.#options());
    const { store, cluster, serverClock, seams, nextId } = around;
    const keys = memoryKeys(
      {
        ...{ store, nowMs: () => serverClock.nowMs(), hasSeat: (one) => cluster.hasSeat(one) },
        run: (statement) => this.#query(statement),
      },
      id,
    );
    this.interface = new SimInterface({
      ...{ keys: seams.keys?.(keys) ?? keys, clock: this.clock, tables: store.tables },
      ids: { reserve: (kind, n) => this.#query(() => nextId(kind, n)) },
      system: () => this.system,
    });
    this.#start().catch((error: Error) => {
      around.onTrouble({ law: 'no coordinator ends by itself', event: `${id} ended`, text: String(error) });
    });
  }

  /** In the order of src/coordinator/coordinator.ts. */
  async #start(): Promise<void> {
    const startUp = this.#startUp;
    await startUp.until('the database', () => this.#query(() => undefined)); // its migrations
    await startUp.until('the database', () => this.#read(async () => undefined));
    this.isListening = true;
    await this.system.start();
    await untilRunning(startUp, this.system);
    this.isServing = true;
    this.positions.reconcile();
  }

  #query<T>(statement: () => T): Promise<T> {
    return query(this.#around.cables, this.process, statement);
  }

  #options(): SystemOptions {
    const { cables, store, random, nextId, seams, membersMax, jobPage, limits, comparesBoots } = this.#around;
    const ofNodes = nodeActor({ lostAfterMs: LOST_AFTER_MS }) as unknown as AnyActorDef;
    const actors = [
      schedulerActor,
      comparesBoots ? ofNodes : withoutBoots(ofNodes),
      strikeActor,
      scanActor,
      recipeActor,
      jobActor,
      jobRequestActor,
      batchActor,
      purgeActor,
      POSITIONS_ACTOR,
    ] as unknown as AnyActorDef[];
    const own = random.fork();
    const options: SystemOptions = {
      self: this.id,
      addresses: this.#addresses,
      actors: seams.actors?.(actors, () => this.system) ?? actors,
      ports: {
        changes: this.positions.ports,
        ...simPorts({
          ...{
            store,
            process: this.process,
            clock: this.clock,
            gateway: this.gateway,
            readers: this.#readers,
          },
          system: () => this.system,
          ...{ membersMax, jobPage, seams },
          run: (statement) => this.#query(statement),
          onSchedulerRead: (answer) => this.#around.onSchedulerRead(this.id, answer),
        }),
      },
      apply: {
        apply: (turns) => {
          const apply = () => this.#apply(turns as readonly Turn<Change>[]);
          const results = query(cables, this.process, apply, true);
          this.#around.onCommitSent(this.id, turns, results);
          return results;
        },
        underWay: (marks) =>
          this.#query(() => cables.lateCommits.filter((mark) => marks === undefined || marks.includes(mark))),
      },
      ids: { reserve: (kind, n) => this.#query(() => nextId(kind, n)) },
      leases: (seams.registering ?? registeringFor)(this.#startUp, this.#leases()),
      transport: this.#transport(),
      clock: seams.clock?.(this.clock, this.process) ?? this.clock,
      rng: () => own.next(),
      log: this.#log(),
      limits,
    };
    return seams.options?.(options, this.#around.cluster) ?? options;
  }

  get #addresses() {
    return {
      ...{ httpAddress: this.slot, grpcAddress: this.slot, version: '0' },
      busKey: new Secret(`key of ${this.id}`),
    };
  }

  #transport(): Transport {
    const { cables, ways } = this.#around;
    const { process, slot } = this;
    if (ways === undefined) return cables.transport(process);
    return ways.transport({
      ...{ process, address: slot, key: this.#addresses.busKey.reveal() },
      coordinators: () => this.system.coordinators(),
    });
  }

  #log(): SystemOptions['log'] {
    const { onTrouble } = this.#around;
    return {
      info: () => {},
      warn: () => {},
      error: (event, fields = {}) => {
        const { error } = fields;
        const text = error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(fields);
        onTrouble({ event, text });
      },
    };
  }

  #apply(turns: readonly Turn<Change>[]): TurnResults {
    const results = this.#around.store.apply(turns);
    this.#around.onSaved(this.id, turns);
    return results;
  }

  /** What the database answers with its own clock sets this one's right. */
  async #read<T>(statement: () => Promise<T>): Promise<T> {
    const { serverClock, clockReadings, cables } = this.#around;
    const askedMs = this.process.monotonicMs();
    const [databaseMs, answer] = await this.#query(() => {
      const answer = statement();
      answer.catch(() => undefined); // its way back may be cut: then nobody hears it
      return [serverClock.nowMs(), answer] as const;
    });
    this.clock.learn({ databaseMs, askedMs, answeredMs: this.process.monotonicMs() });
    clockReadings.read(this.id, cables.time.nowMs);
    return answer;
  }

  #leases(): LeasePort {
    const { cluster, onTaken } = this.#around;
    const port = cluster.port();
    // The row is there or isn't: what the port does at once is the statement.
    const run = <T>(statement: () => Promise<T>): Promise<T> =>
      this.#query(statement).then((answer) => answer);
    return {
      ttlMs: port.ttlMs,
      register: (self, addresses) => this.#read(() => port.register(self, addresses)),
      heartbeat: (self, options) => this.#read(() => port.heartbeat(self, options)),
      acquire: (self, shards) =>
        run(async () => {
          const epochs = await port.acquire(self, shards);
          onTaken(self, epochs);
          return epochs;
        }),
      release: (self, shards) => run(() => port.release(self, shards)),
      leave: (self) => run(() => port.leave(self)),
    };
  }
}

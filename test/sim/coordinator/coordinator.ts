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
import { DatabaseClock } from '../../../src/app/database-clock.ts';
import type { JobRequestRows } from '../../../src/app/job-request-pages.ts';
import type { PurgeRows } from '../../../src/app/purges.ts';
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
  type Turn,
} from '../../../src/kernel/mod.ts';
import type { MemoryCluster } from '../../support/fakes/memory-leases.ts';
import type { Cables } from '../cables.ts';
import type { NotificationQueue } from '../notifications.ts';
import type { Seeded } from '../seeded.ts';
import { SimProcess, type WallClock } from '../sim-process.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import type { ServerClock } from '../store/server-clock.ts';
import { query } from './database.ts';
import { SimGateway } from './gateway.ts';
import { simPorts } from './ports.ts';
import { SimReaders } from './readers.ts';

export const LOST_AFTER_MS = 20_000;

/** What a seeded bug may put itself between. */
export interface Seams {
  actors?(actors: readonly AnyActorDef[], system: () => System): readonly AnyActorDef[];
  options?(options: SystemOptions, cluster: MemoryCluster): SystemOptions;
  purgeRows?(rows: PurgeRows, store: MemoryStore): PurgeRows;
  requestRows?(rows: JobRequestRows): JobRequestRows;
  /** The clock that instants are on. */
  clock?(clock: Clock, host: Clock): Clock;
  agentClock?(): AgentClock;
  cluster?(nowMs: () => number): MemoryCluster;
  /** Called once a world, with its database. */
  prepared?(store: MemoryStore): void;
}

export interface Trouble {
  readonly event: string;
  readonly text: string;
}

export interface Surroundings {
  readonly cables: Cables;
  readonly cluster: MemoryCluster;
  readonly store: MemoryStore;
  readonly serverClock: ServerClock;
  /** The clock of its host. */
  readonly wall: WallClock;
  readonly queues: ReadonlyMap<number, NotificationQueue>;
  readonly random: Seeded;
  readonly nextId: (kind: string, n: number) => number[];
  readonly seams: Seams;
  /** Members of a batch's page. */
  readonly membersMax: number;
  /** Jobs of a page of a request for many. */
  readonly jobPage: number;
  readonly limits: Partial<KernelLimits>;
  /** The program gives up. */
  readonly onStartFailed: (slot: string) => void;
  /** The database has given shards to a coordinator, or saved turns of its. */
  readonly onTaken: (self: string, epochs: ReadonlyMap<number, number>) => void;
  readonly onSaved: (self: string, turns: readonly Turn<unknown>[]) => void;
  /** A strike is asked to take notifications. */
  readonly onNotified: (strikeId: number) => void;
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
  readonly #around: Surroundings;
  readonly #readers: SimReaders;

  constructor(slot: string, id: string, around: Surroundings) {
    this.slot = slot;
    this.id = id;
    this.#around = around;
    this.process = new SimProcess(around.cables.time, slot, around.wall);
    this.clock = new DatabaseClock(this.process);
    const { process } = this;
    const { heartbeatMs } = pulseOf(LOST_AFTER_MS);
    this.gateway = new SimGateway({
      ...{ self: id, process, clock: this.clock, heartbeatMs, system: () => this.system },
      newAgentClock: around.seams.agentClock ?? (() => new AgentClock()),
    });
    const { cables, queues } = around;
    this.#readers = new SimReaders({
      ...{ self: id, process, cables, queues, system: () => this.system },
      onNotified: around.onNotified,
      buried: (text) => around.onTrouble({ event: 'a notification was buried', text }),
    });
    this.system = createSystem(this.#options());
    this.system.start().catch(() => around.onStartFailed(slot));
  }

  #query<T>(statement: () => T): Promise<T> {
    return query(this.#around.cables, this.process, statement);
  }

  #options(): SystemOptions {
    const { cables, store, random, nextId, seams, membersMax, jobPage, limits } = this.#around;
    const actors = [
      schedulerActor,
      nodeActor({ lostAfterMs: LOST_AFTER_MS }),
      strikeActor,
      scanActor,
      recipeActor,
      jobActor,
      jobRequestActor,
      batchActor,
      purgeActor,
    ] as unknown as AnyActorDef[];
    const own = random.fork();
    const options: SystemOptions = {
      self: this.id,
      addresses: { httpAddress: this.slot, grpcAddress: this.slot, version: '0' },
      actors: seams.actors?.(actors, () => this.system) ?? actors,
      ports: simPorts({
        ...{ store, process: this.process, clock: this.clock, gateway: this.gateway, readers: this.#readers },
        system: () => this.system,
        ...{ membersMax, jobPage, seams },
        run: (statement) => this.#query(statement),
      }),
      apply: {
        apply: (turns) =>
          query(cables, this.process, () => this.#apply(turns as readonly Turn<Change>[]), true),
        underWay: (marks) =>
          this.#query(() => cables.lateCommits.filter((mark) => marks === undefined || marks.includes(mark))),
      },
      ids: { reserve: (kind, n) => this.#query(() => nextId(kind, n)) },
      leases: this.#leases(),
      transport: cables.transport(this.process),
      clock: seams.clock?.(this.clock, this.process) ?? this.clock,
      rng: () => own.next(),
      log: this.#log(),
      limits,
    };
    return seams.options?.(options, this.#around.cluster) ?? options;
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

  #apply(turns: readonly Turn<Change>[]): readonly (readonly unknown[])[] {
    const results = this.#around.store.apply(turns);
    this.#around.onSaved(this.id, turns);
    return results;
  }

  /** What the database answers with its own clock sets this one's right. */
  async #read<T>(statement: () => Promise<T>): Promise<T> {
    const { serverClock } = this.#around;
    const askedMs = this.process.monotonicMs();
    const [databaseMs, answer] = await this.#query(() => {
      const answer = statement();
      answer.catch(() => undefined); // its way back may be cut: then nobody hears it
      return [serverClock.nowMs(), answer] as const;
    });
    this.clock.learn({ databaseMs, askedMs, answeredMs: this.process.monotonicMs() });
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

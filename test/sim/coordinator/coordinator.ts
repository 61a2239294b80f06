/** A coordinator of the simulated world: the real kernel and the real actors, between doubles of all the rest. */
import type { IngestPorts } from '../../../src/actors/ingest/ingest.ports.ts';
import { jobActor } from '../../../src/actors/job/job.actor.ts';
import type { JobPorts } from '../../../src/actors/job/job.ports.ts';
import { nodeActor } from '../../../src/actors/node/node.actor.ts';
import type { NodePorts } from '../../../src/actors/node/node.ports.ts';
import { recipeActor } from '../../../src/actors/recipe/recipe.actor.ts';
import type { RecipePorts } from '../../../src/actors/recipe/recipe.ports.ts';
import { schedulerActor } from '../../../src/actors/scheduler/scheduler.actor.ts';
import type { SchedulerPorts } from '../../../src/actors/scheduler/scheduler.ports.ts';
import { strikeActor } from '../../../src/actors/strike/strike.actor.ts';
import type { StrikePorts } from '../../../src/actors/strike/strike.ports.ts';
import type { Change } from '../../../src/domain/changes.ts';
import { pulseOf } from '../../../src/domain/node/node-state.ts';
import {
  type AnyActorDef,
  createSystem,
  type LeasePort,
  type System,
  type SystemOptions,
  type Turn,
} from '../../../src/kernel/mod.ts';
import type { MemoryCluster } from '../../support/fakes/memory-leases.ts';
import type { Cables } from '../cables.ts';
import { INGEST_TYPE, PLANS, RECIPE_PLAN } from '../scenario.ts';
import type { Seeded } from '../seeded.ts';
import { SimProcess } from '../sim-process.ts';
import * as loads from '../store/loads.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import * as trees from '../store/tree-loads.ts';
import { query } from './database.ts';
import { SimGateway } from './gateway.ts';
import { launchSpecs } from './launches.ts';

export const LOST_AFTER_MS = 20_000;

/** What a seeded bug may put itself between. */
export interface Seams {
  actors?(actors: readonly AnyActorDef[], system: () => System): readonly AnyActorDef[];
  options?(options: SystemOptions, cluster: MemoryCluster): SystemOptions;
}

export interface Trouble {
  readonly event: string;
  readonly text: string;
}

export interface Surroundings {
  readonly cables: Cables;
  readonly cluster: MemoryCluster;
  readonly store: MemoryStore;
  readonly random: Seeded;
  readonly nextId: (kind: string, n: number) => number[];
  readonly seams: Seams;
  /** The program gives up. */
  readonly onStartFailed: (slot: string) => void;
  /** Bugs that the kernel saw. */
  readonly onTrouble: (trouble: Trouble) => void;
}

export class SimCoordinator {
  readonly id: string;
  readonly slot: string;
  readonly process: SimProcess;
  readonly gateway: SimGateway;
  readonly system: System;
  readonly #around: Surroundings;

  constructor(slot: string, id: string, around: Surroundings) {
    this.slot = slot;
    this.id = id;
    this.#around = around;
    this.process = new SimProcess(around.cables.time, slot);
    const { process } = this;
    const { heartbeatMs } = pulseOf(LOST_AFTER_MS);
    this.gateway = new SimGateway({ self: id, process, heartbeatMs, system: () => this.system });
    this.system = createSystem(this.#options());
    this.system.start().catch(() => around.onStartFailed(slot));
  }

  #query<T>(statement: () => T): Promise<T> {
    return query(this.#around.cables, this.process, statement);
  }

  #options(): SystemOptions {
    const { cables, store, random, nextId, seams } = this.#around;
    const actors = [
      schedulerActor,
      nodeActor({ lostAfterMs: LOST_AFTER_MS }),
      strikeActor,
      recipeActor,
      jobActor,
    ] as unknown as AnyActorDef[];
    const own = random.fork();
    const options: SystemOptions = {
      self: this.id,
      addresses: { httpAddress: this.slot, grpcAddress: this.slot, version: '0' },
      actors: seams.actors?.(actors, () => this.system) ?? actors,
      ports: this.#ports(),
      apply: {
        apply: (turns) =>
          query(cables, this.process, () => store.apply(turns as readonly Turn<Change>[]), true),
      },
      ids: { reserve: (kind, n) => this.#query(() => nextId(kind, n)) },
      leases: this.#leases(),
      transport: cables.transport(this.process),
      clock: this.process,
      rng: () => own.next(),
      log: this.#log(),
      limits: { idBlock: 32, idBlockMax: 1_024 },
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

  #leases(): LeasePort {
    const port = this.#around.cluster.port();
    // The row is there or isn't: what the port does at once is the statement.
    const run = <T>(statement: () => Promise<T>): Promise<T> =>
      this.#query(statement).then((answer) => answer);
    return {
      ttlMs: port.ttlMs,
      register: (self, addresses) => run(() => port.register(self, addresses)),
      heartbeat: (self, options) => run(() => port.heartbeat(self, options)),
      acquire: (self, shards) => run(() => port.acquire(self, shards)),
      release: (self, shards) => run(() => port.release(self, shards)),
      leave: (self) => run(() => port.leave(self)),
    };
  }

  #ports(): Record<string, unknown> {
    const { tables } = this.#around.store;
    const scheduler: SchedulerPorts = {
      loadScheduler: () => this.#query(() => loads.loadScheduler(tables)),
      queuedHeads: (args) => this.#query(() => loads.queuedHeads(tables, args)),
      applySettings: async ({ messageHandlerCount }) => this.system.setLanes(messageHandlerCount),
    };
    const node: NodePorts = {
      loadNodes: (ids) => this.#query(() => loads.loadNodes(tables, ids)),
      dueNodes: (shards) => this.#query(() => loads.dueNodes(tables, shards)),
      assignedTo: (id) => this.#query(() => loads.assignedTo(tables, id)),
      launchSpecs: (ids) => this.#query(() => launchSpecs(tables, ids)),
      activeWorkspaces: () => this.#query(() => loads.activeWorkspaces(tables)),
      send: async ({ sessionId, messages }) => this.gateway.send(sessionId, messages),
      dropSession: async ({ sessionId }) => this.gateway.dropSession(sessionId),
      loggingLevel: async () => 'INFO',
    };
    const recipe: RecipePorts = {
      loadRecipeTrees: (ids) => this.#query(() => trees.loadRecipeTrees(tables, PLANS, ids)),
      dueRecipes: (shards, isTakenOver) => {
        const nowMs = this.process.nowMs();
        return this.#query(() => trees.dueRecipes(tables, PLANS, shards, { nowMs, isTakenOver }));
      },
      recipePlan: async (id) => PLANS.recipes.get(id) ?? null,
      evaluateConditions: (asks) =>
        this.#query(() =>
          asks.map(({ conditionId }) => {
            const isAccepted = conditionId % 3 !== 0;
            return { conditionId, isAccepted, reason: isAccepted ? null : 'not this one' };
          }),
        ),
      runningExecutions: (ids) => this.#query(() => trees.runningExecutions(tables, ids)),
    };
    const job: JobPorts = {
      loadJobs: (ids) => this.#query(() => trees.loadJobs(tables, PLANS, ids)),
      dueJobs: (shards) => this.#query(() => trees.strayOwners(tables, 'job', shards)),
      runningExecutions: recipe.runningExecutions,
    };
    return { scheduler, node, recipe, job, strike: this.#strikePorts() };
  }

  #strikePorts(): StrikePorts {
    const { tables } = this.#around.store;
    const ingests: IngestPorts = {
      matchRules: ({ rules, paths }) =>
        this.process.later(1, () =>
          paths.map((path) => rules.findIndex((rule) => new RegExp(rule.filename_regex).test(path))),
        ),
      nodesReaching: (ids) => this.#query(() => loads.nodesReaching(tables, ids)),
      activeWorkspaces: () => this.#query(() => loads.activeWorkspaces(tables)),
      ingestFacts: ({ at, recipe }) =>
        this.#query(() => ({
          sources: loads.sourcesAt(tables, at),
          purged: [],
          plan: recipe === null ? null : RECIPE_PLAN,
        })),
      liveIngests: (page) => this.#query(() => loads.liveIngests(tables, page)),
      ingestsOfJobs: (args) => this.#query(() => loads.ingestsOfJobs(tables, args)),
    };
    return {
      ...ingests,
      loadStrikes: (ids) => this.#query(() => loads.loadStrikes(tables, ids, INGEST_TYPE)),
      dueStrikes: (shards) => this.#query(() => loads.dueStrikes(tables, shards)),
      lostMonitors: async () => [],
      watchQueue: async () => {},
      deferredIngests: (page) => this.#query(() => loads.deferredIngests(tables, page)),
    };
  }
}

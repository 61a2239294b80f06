/** The running system: puts the parts together. Other rooms use it to tell, ask, drain, stop and read statistics. */

import { ActorType } from './activation/actor-type.ts';
import { Dispatcher } from './activation/dispatcher.ts';
import { Registry } from './activation/registry.ts';
import type { AnyActorDef } from './actor/actor.ts';
import { type Address, type AnyAddress, shardOf } from './actor/address.ts';
import type { AnswerTo, QuestionOf } from './actor/effect.ts';
import { KernelError, kernelFailure } from './actor/kernel-error.ts';
import { KERNEL_LIMITS, type KernelLimits } from './actor/limits.ts';
import type {
  Addresses,
  ApplyPort,
  Clock,
  CoordinatorInfo,
  IdPort,
  KernelLog,
  LeasePort,
  Rng,
  Transport,
} from './actor/ports.ts';
import { Asks } from './asks.ts';
import { IdPools } from './commit/id-pools.ts';
import { Counters } from './counters.ts';
import { type LeaseHooks, LeaseKeeper } from './lease-keeper.ts';
import { Reconciler } from './reconciler.ts';
import { type AskOptions, Router } from './router.ts';
import { Timers } from './timers.ts';

export interface SystemOptions {
  /** Id of this coordinator process, never used again. */
  readonly self: string;
  readonly addresses: Addresses;
  readonly actors: readonly AnyActorDef[];
  /** The ports that each kind's `load`, `reconcile` and calls get. */
  readonly ports: Readonly<Record<string, unknown>>;
  readonly apply: ApplyPort<unknown>;
  readonly ids: IdPort;
  readonly leases: LeasePort;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: KernelLog;
  readonly limits?: Partial<KernelLimits>;
}

export interface ActorTypeStats {
  readonly live: number;
  /** Messages that wait, over all lanes and activations. */
  readonly mail: number;
  readonly suspended: number;
}

export interface SystemStats {
  readonly kinds: Readonly<Record<string, ActorTypeStats>>;
  /** Totals since the start. */
  readonly totals: Readonly<Record<(typeof TOTALS)[number], number>>;
  readonly rates: { readonly turnsPerS: number; readonly commitsPerS: number; readonly groupSize: number };
  /** Counters of the actors, as `kind.metric`. */
  readonly counters: Readonly<Record<string, number>>;
  readonly asksPending: number;
  readonly mailParked: number;
  readonly shardsHeld: number;
  /** Our leases are known to be valid. False: nothing runs here until they are renewed. */
  readonly isRunning: boolean;
}

/** Asks an actor and waits for its answer. */
export type Ask = <Message, const Question extends QuestionOf<Message> & { readonly type: string }>(
  to: Address<Message>,
  message: Question,
  options: AskOptions,
) => Promise<AnswerTo<Extract<Message, { readonly type: Question['type'] }>>>;

export interface System {
  /** Sends a message; never waits, never fails. It may be lost: reliability comes from rows and reconciliations. */
  tell<Message extends object>(
    to: Address<Message>,
    message: NoInfer<Message>,
    options?: { readonly isNew?: boolean },
  ): void;
  /** Asks and waits. For http and rpc; actors never ask. Rejects with KernelError. */
  ask: Ask;
  /** Forwards an ask of another thread or process, where its types were checked. */
  forward(to: AnyAddress, message: object, options: AskOptions): Promise<unknown>;
  /** Registers this coordinator, takes a share of the shards, connects. */
  start(): Promise<void>;
  /** Accepts nothing new from outside, finishes what is here, hands the shards to others. Followed by `stop`. */
  drain(): Promise<void>;
  /** Ends at once; asks are answered STOPPING. */
  stop(): Promise<void>;
  stats(): SystemStats;
  /** Sets the number of concurrent commits. */
  setLanes(lanes: number): void;
  /** The holder of an actor's shard, as far as known; undefined while there is none. */
  ownerOf(to: AnyAddress): CoordinatorInfo | undefined;
  coordinators(): readonly CoordinatorInfo[];
  /** Shards whose actors are active here. */
  heldShards(): readonly number[];
}

const MAINTENANCE_MS = 1_000;
const TOTALS = [
  'turns',
  'messages',
  'commits',
  'committedTurns',
  'refused',
  'fenced',
  'unavailable',
  'failures',
  'dropped',
  'deadLetters',
  'loads',
  'loadedCells',
  'passivated',
  'sent',
  'received',
  'bounced',
] as const;

/** Creates a system that does nothing until `start`. */
export function createSystem(options: SystemOptions): System {
  return new ActorSystem(options);
}

class ActorSystem implements System {
  readonly #options: SystemOptions;
  readonly #limits: KernelLimits;
  readonly #timers: Timers;
  readonly #counters = new Counters();
  readonly #registry: Registry;
  readonly #asks: Asks;
  readonly #router: Router;
  readonly #dispatcher: Dispatcher;
  readonly #keeper: LeaseKeeper;
  readonly #reconciler: Reconciler;
  #isTaking = true;

  constructor(options: SystemOptions) {
    const { self, clock, rng, log, leases, transport, apply } = options;
    const limits = { ...KERNEL_LIMITS, ...options.limits };
    const timers = new Timers(clock);
    const counters = this.#counters;
    const registry = new Registry(timers, counters);
    this.#registry = registry;
    this.#options = options;
    this.#limits = limits;
    this.#timers = timers;
    this.#asks = new Asks(timers, counters);
    this.#router = new Router({ self, registry, asks: this.#asks, transport, clock, limits, counters, log });
    this.#keeper = new LeaseKeeper({
      self,
      leases,
      clock,
      timers,
      rng,
      limits,
      log,
      hooks: this.#leaseHooks(),
    });
    const keeper = this.#keeper;
    this.#dispatcher = new Dispatcher({
      ...{ registry, outbox: this.#router, apply, clock, timers, limits, counters, log },
      ids: new IdPools(options.ids, limits, log),
      mayRun: () => keeper.isValid(),
      onFenced: (lease) => keeper.fenced(lease),
    });
    this.#router.connect(this.#dispatcher, keeper);
    for (const def of options.actors) this.#addKind(def);
    this.#reconciler = new Reconciler({
      ...{ registry, timers, rng, log },
      shards: () => (keeper.isValid() ? keeper.heldShards : []),
      tell: (kind, key, message) => this.#router.tell({ kind, key }, message, false),
    });
  }

  tell(to: AnyAddress, message: object, options?: { readonly isNew?: boolean }): void {
    if (this.#isTaking) this.#router.tell(to, message, options?.isNew === true);
    else this.#counters.dropped++;
  }

  readonly ask: Ask = (to, message, options) => this.forward(to, message, options) as Promise<never>;

  forward(to: AnyAddress, message: object, options: AskOptions): Promise<unknown> {
    if (!this.#isTaking) {
      return Promise.reject(new KernelError(kernelFailure('STOPPING', 'this coordinator is stopping')));
    }
    if (this.#asks.size >= this.#limits.asksMax) {
      return Promise.reject(new KernelError(kernelFailure('MAILBOX_FULL', 'too many unanswered questions')));
    }
    return this.#router.ask(to, message, options);
  }

  async start(): Promise<void> {
    const { transport, self, addresses } = this.#options;
    await transport.start(self, (envelope) => this.#router.receive(envelope));
    await this.#keeper.start(addresses);
    this.#reconciler.start();
    this.#maintain();
  }

  async drain(): Promise<void> {
    this.#isTaking = false;
    this.#reconciler.close();
    await this.#keeper.leave();
  }

  async stop(): Promise<void> {
    this.#isTaking = false;
    this.#reconciler.close();
    this.#keeper.close();
    this.#dispatcher.close();
    this.#asks.refuseAll(kernelFailure('STOPPING', 'this coordinator is stopping'));
    this.#timers.close();
    await this.#options.transport.stop();
  }

  stats(): SystemStats {
    const kinds: Record<string, ActorTypeStats> = {};
    for (const kind of this.#registry.actorTypes()) {
      let mail = 0;
      let suspended = 0;
      for (const activation of kind.activations.values()) {
        mail += activation.mailCount;
        if (activation.isSuspended) suspended++;
      }
      kinds[kind.def.kind] = { live: kind.activations.size, mail, suspended };
    }
    return {
      kinds,
      totals: Object.fromEntries(TOTALS.map((name) => [name, this.#counters[name]])) as SystemStats['totals'],
      rates: this.#counters.rates,
      counters: Object.fromEntries(this.#counters.named),
      asksPending: this.#asks.size,
      mailParked: this.#router.parkedCount,
      shardsHeld: this.#keeper.heldShards.length,
      isRunning: this.#keeper.isValid(),
    };
  }

  setLanes(lanes: number): void {
    this.#dispatcher.committer.setLanes(lanes);
  }

  ownerOf(to: AnyAddress): CoordinatorInfo | undefined {
    const shard = shardOf(to.kind, to.key);
    const owner =
      this.#keeper.leaseOf(shard)?.status === 'held' ? this.#options.self : this.#keeper.ownerOf(shard);
    return this.#keeper.coordinators.find((coordinator) => coordinator.id === owner);
  }

  coordinators(): readonly CoordinatorInfo[] {
    return this.#keeper.coordinators;
  }

  heldShards(): readonly number[] {
    return this.#keeper.heldShards;
  }

  #addKind(def: AnyActorDef): void {
    const dispatcher = this.#dispatcher;
    const parts = {
      timers: this.#timers,
      limits: this.#limits,
      counters: this.#counters,
      log: this.#options.log,
    };
    this.#registry.add(new ActorType(def, this.#options.ports[def.kind], { ...parts, hooks: dispatcher }));
  }

  #leaseHooks(): LeaseHooks {
    return {
      gained: (leases) => {
        this.#reconciler.reconcileShards(leases.map((lease) => lease.shard));
        this.#router.retryParked();
        this.#router.announceLeases();
      },
      lost: (lease) => this.#dispatcher.loseShard(lease),
      isDrained: (lease) => this.#dispatcher.isDrained(lease),
      renewed: () => {
        this.#router.retryParked();
        this.#dispatcher.wakeUp();
      },
      lapsed: (coordinators) => this.#router.abandon(coordinators),
      released: () => this.#router.announceLeases(),
    };
  }

  #maintain(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#counters.measure(nowMs);
    this.#registry.passivate(nowMs);
    this.#timers.set(MAINTENANCE_MS, () => this.#maintain());
  }
}

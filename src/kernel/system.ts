/** The running system: puts the parts together. Other rooms use it to tell, ask, drain, stop and read statistics. */

import { ActorType } from './activation/actor-type.ts';
import { Dispatcher } from './activation/dispatcher.ts';
import { Registry } from './activation/registry.ts';
import type { AnyActorDef } from './actor/actor.ts';
import { type Address, type AnyAddress, type AnyMessage, shardOf } from './actor/address.ts';
import type { AnswerTo, QuestionOf } from './actor/effect.ts';
import { KernelError, kernelFailure } from './actor/kernel-error.ts';
import { KERNEL_LIMITS, type KernelLimits } from './actor/limits.ts';
import type { Addresses, ApplyPort, CoordinatorInfo, IdPort, LeasePort, Transport } from './actor/ports.ts';
import { Asks } from './asks.ts';
import { IdPools } from './commit/id-pools.ts';
import { Counters, type Totals } from './counters.ts';
import { type LeaseHooks, LeaseKeeper } from './lease-keeper.ts';
import { Polls } from './polls.ts';
import { Reconciler } from './reconciler.ts';
import { type AskOptions, Router } from './router.ts';
import type { Runtime } from './runtime.ts';
import { Timers } from './timers.ts';

export interface SystemOptions extends Pick<Runtime, 'self' | 'clock' | 'rng' | 'log'> {
  readonly addresses: Addresses;
  readonly actors: readonly AnyActorDef[];
  /** The ports that each kind's `load`, `reconcile` and calls get. */
  readonly ports: Readonly<Record<string, unknown>>;
  readonly apply: ApplyPort<unknown>;
  readonly ids: IdPort;
  readonly leases: LeasePort;
  readonly transport: Transport;
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
  readonly totals: Readonly<Totals>;
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
export type Ask = <Message, const Question extends QuestionOf<Message> & AnyMessage>(
  to: Address<Message>,
  message: Question,
  options: AskOptions,
) => Promise<AnswerTo<Extract<Message, { readonly type: Question['type'] }>>>;

/**
 * The typed form of `forward`. The cast is safe: the compiler holds the handler of each question to the answer that the
 * question's type names.
 */
export function askBy(forward: System['forward']): Ask {
  return (to, message, options) => forward(to, message, options) as Promise<never>;
}

export interface System {
  /** Sends a message; never waits, never fails. It may be lost: reliability comes from rows and reconciliations. */
  tell<Message extends AnyMessage>(to: Address<Message>, message: NoInfer<Message>): void;
  /** Asks and waits. For http and rpc; actors never ask. Rejects with KernelError. */
  ask: Ask;
  /** Forwards an ask of another thread or process, where its types were checked. */
  forward(to: AnyAddress, message: AnyMessage, options: AskOptions): Promise<unknown>;
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

/** Creates a system that does nothing until `start`. */
export function createSystem(options: SystemOptions): System {
  return new ActorSystem(options);
}

class ActorSystem implements System {
  readonly #options: SystemOptions;
  readonly #runtime: Runtime;
  readonly #registry: Registry;
  readonly #asks: Asks;
  readonly #router: Router;
  readonly #dispatcher: Dispatcher;
  readonly #keeper: LeaseKeeper;
  readonly #reconciler: Reconciler;
  readonly #polls: Polls;
  #isTaking = true;

  constructor(options: SystemOptions) {
    const { self, clock, rng, log, leases, transport, apply } = options;
    const limits = { ...KERNEL_LIMITS, ...options.limits };
    const timers = new Timers(clock);
    const runtime = { self, clock, timers, rng, limits, counters: new Counters(), log };
    const registry = new Registry(runtime);
    const asks = new Asks(runtime);
    const router = new Router({ ...runtime, registry, asks, transport });
    const keeper = new LeaseKeeper(runtime, leases, this.#leaseHooks());
    const dispatcher = new Dispatcher({
      ...runtime,
      ...{ registry, outbox: router, apply, ids: new IdPools(runtime, options.ids) },
      mayRun: () => keeper.isValid(),
      onFenced: (lease) => keeper.fenced(lease),
    });
    router.connect(dispatcher, keeper);
    for (const def of options.actors) {
      registry.add(new ActorType(def, options.ports[def.kind], runtime, dispatcher));
    }
    this.#options = options;
    this.#runtime = runtime;
    this.#registry = registry;
    this.#asks = asks;
    this.#router = router;
    this.#keeper = keeper;
    this.#dispatcher = dispatcher;
    this.#polls = new Polls(runtime, {
      registry,
      mayRun: () => keeper.isValid(),
      wake: (activation) => dispatcher.wake(activation),
    });
    this.#reconciler = new Reconciler(runtime, {
      registry,
      shards: () => (keeper.isValid() ? keeper.heldShards : []),
      tell: (kind, key, message) => router.tell({ kind, key }, message),
    });
  }

  tell(to: AnyAddress, message: AnyMessage): void {
    if (this.#isTaking) this.#router.tell(to, message);
    else this.#runtime.counters.dropped++;
  }

  readonly ask = askBy((to, message, options) => this.forward(to, message, options));

  forward(to: AnyAddress, message: AnyMessage, options: AskOptions): Promise<unknown> {
    if (!this.#isTaking) {
      return Promise.reject(new KernelError(kernelFailure('STOPPING', 'this coordinator is stopping')));
    }
    if (this.#asks.size >= this.#runtime.limits.asksMax) {
      return Promise.reject(new KernelError(kernelFailure('MAILBOX_FULL', 'too many unanswered questions')));
    }
    return this.#router.ask(to, message, options);
  }

  async start(): Promise<void> {
    const { transport, addresses } = this.#options;
    await transport.start(this.#runtime.self, (envelope) => this.#router.receive(envelope));
    await this.#keeper.start(addresses);
    this.#reconciler.start();
    this.#polls.start();
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
    this.#runtime.timers.close();
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
      totals: this.#runtime.counters.totals,
      rates: this.#runtime.counters.rates,
      counters: Object.fromEntries(this.#runtime.counters.named),
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
      this.#keeper.leaseOf(shard)?.status === 'held' ? this.#runtime.self : this.#keeper.ownerOf(shard);
    return this.#keeper.coordinators.find((coordinator) => coordinator.id === owner);
  }

  coordinators(): readonly CoordinatorInfo[] {
    return this.#keeper.coordinators;
  }

  heldShards(): readonly number[] {
    return this.#keeper.heldShards;
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
      lapsed: (coordinators) => this.#asks.abandon(coordinators),
      released: () => this.#router.announceLeases(),
    };
  }

  #maintain(): void {
    const nowMs = this.#runtime.clock.monotonicMs();
    this.#runtime.counters.measure(nowMs);
    this.#registry.passivate(nowMs);
    this.#runtime.timers.set(MAINTENANCE_MS, () => this.#maintain());
  }
}

/** The live activations of one kind on this coordinator: finds and opens them, and loads their states in sets. */

import { Fifo } from '../../lib/fifo.ts';
import type { AnyActorDef } from '../actor/actor.ts';
import type { AnyAddress } from '../actor/address.ts';
import { isUnavailable } from '../actor/kernel-error.ts';
import { Backoff } from '../backoff.ts';
import type { Runtime } from '../runtime.ts';
import { Activation, type ShardLease } from './activation.ts';
import { IdleList } from './idle-list.ts';

export interface ActorTypeHooks {
  loaded(activation: Activation): void;
  /** A load failed for a reason of this activation's own. */
  loadFailed(activation: Activation, error: unknown): void;
}

export class ActorType {
  readonly def: AnyActorDef;
  readonly ports: unknown;
  readonly activations = new Map<string, Activation>();
  readonly idle = new IdleList();
  readonly backoff: Backoff;
  readonly liveMax: number;
  readonly #runtime: Runtime;
  readonly #hooks: ActorTypeHooks;
  readonly #unloaded = new Fifo<Activation>();
  #loads = 0;
  /** Shrinks while loads fail, so that a row that can't be read ends up alone in its set. */
  #setMax: number;

  constructor(def: AnyActorDef, ports: unknown, runtime: Runtime, hooks: ActorTypeHooks) {
    this.def = def;
    this.ports = ports;
    this.backoff = new Backoff(runtime, () => this.pump());
    this.liveMax = def.liveMax ?? runtime.limits.liveMax;
    this.#runtime = runtime;
    this.#hooks = hooks;
    this.#setMax = runtime.limits.loadMax;
  }

  /** Opens an activation for a key that has none. The caller enforces `liveMax`. */
  open(address: AnyAddress, lease: ShardLease): Activation {
    const activation = new Activation(this.def, address, lease);
    this.activations.set(address.key, activation);
    return activation;
  }

  /** Queues the activation for the next set. */
  awaitLoad(activation: Activation): void {
    activation.phase = 'loading';
    this.#unloaded.push(activation);
  }

  /** Starts as many loads as may run at once. */
  pump(): void {
    const atOnce = this.backoff.isTroubled ? 1 : this.#runtime.limits.loadsMax;
    while (this.backoff.isOpen && this.#unloaded.length > 0 && this.#loads < atOnce) {
      const set: Activation[] = [];
      for (let next = this.#unloaded.shift(); next !== undefined; next = this.#unloaded.shift()) {
        if (next.phase === 'loading') set.push(next); // others lost their shard while they waited
        if (set.length >= this.#setMax) break;
      }
      if (set.length === 0) return;
      this.#loads++;
      this.#load(set).finally(() => {
        this.#loads--;
        this.pump();
      });
    }
  }

  async #load(set: readonly Activation[]): Promise<void> {
    let states: ReadonlyMap<string, unknown>;
    try {
      this.#runtime.counters.loads++;
      const keys = set.map((activation) => activation.address.key);
      states = await this.def.load(keys, this.ports);
    } catch (error) {
      return this.#failed(set, error);
    }
    this.backoff.succeed('load');
    this.#setMax = Math.min(this.#setMax * 2, this.#runtime.limits.loadMax);
    this.#runtime.counters.loadedActivations += set.length;
    for (const activation of set) {
      if (activation.phase !== 'loading') continue;
      activation.state = states.get(activation.address.key);
      this.#hooks.loaded(activation);
    }
  }

  #failed(set: readonly Activation[], error: unknown): void {
    const waiting = set.filter((activation) => activation.phase === 'loading');
    this.#runtime.log.warn('load_failed', { actorKind: this.def.kind, keys: set.length, error });
    if (isUnavailable(error)) {
      this.backoff.fail('load');
      this.#unloaded.prepend(waiting);
    } else if (set.length > 1) {
      this.#setMax = Math.max(1, set.length >> 1);
      this.#unloaded.prepend(waiting);
    } else {
      for (const activation of waiting) this.#hooks.loadFailed(activation, error);
    }
  }
}

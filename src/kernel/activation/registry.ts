/**
 * The live activations of all kinds on this coordinator: finds them, opens them within their limit, unloads and ends
 * them.
 */
import { assert } from '../../lib/assert.ts';
import type { AnyAddress } from '../actor/address.ts';
import type { Runtime } from '../runtime.ts';
import type { Activation, ShardLease } from './activation.ts';
import type { ActorType } from './actor-type.ts';

/** limit: activations that are unloaded at once; the rest follows later. */
const PASSIVATE_MAX = 10_000;

export class Registry {
  readonly #kinds = new Map<string, ActorType>();
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  add(kind: ActorType): void {
    assert(!this.#kinds.has(kind.def.kind), `two actors of kind ${kind.def.kind}`);
    this.#kinds.set(kind.def.kind, kind);
  }

  actorTypes(): IterableIterator<ActorType> {
    return this.#kinds.values();
  }

  find(kindName: string): ActorType | undefined {
    return this.#kinds.get(kindName);
  }

  actorTypeOf(activation: Activation): ActorType {
    const kind = this.#kinds.get(activation.def.kind);
    assert(kind !== undefined, `no kind ${activation.def.kind}`);
    return kind;
  }

  /** Opens an activation, in place of the longest idle one if too many are live. Undefined if none is idle. */
  open(kind: ActorType, address: AnyAddress, lease: ShardLease): Activation | undefined {
    if (kind.activations.size >= kind.liveMax) {
      const victim = kind.idle.first;
      if (victim === undefined) return undefined;
      this.remove(victim);
      this.#runtime.counters.passivated++;
    }
    return kind.open(address, lease);
  }

  /** Unloads activations that have been idle for `idleMs`. */
  passivate(nowMs: number): void {
    let count = 0;
    for (const kind of this.#kinds.values()) {
      for (let activation = kind.idle.first; activation !== undefined; activation = kind.idle.first) {
        if (activation.idleSinceMs + kind.def.idleMs > nowMs || count++ >= PASSIVATE_MAX) break;
        this.remove(activation);
        this.#runtime.counters.passivated++;
      }
    }
  }

  activationsOf(lease: ShardLease): Activation[] {
    const activations: Activation[] = [];
    for (const kind of this.#kinds.values()) {
      for (const activation of kind.activations.values())
        if (activation.lease === lease) activations.push(activation);
    }
    return activations;
  }

  /** Ends an activation. */
  remove(activation: Activation): void {
    this.forget(activation);
    this.cancelTimers(activation);
    activation.phase = 'gone';
    activation.state = undefined;
  }

  /** Frees its key for another activation, while this one still has a commit to finish. */
  forget(activation: Activation): void {
    const kind = this.actorTypeOf(activation);
    kind.idle.remove(activation);
    if (kind.activations.get(activation.address.key) === activation)
      kind.activations.delete(activation.address.key);
  }

  /** Timers belong to a state and are dropped with it. */
  cancelTimers(activation: Activation): void {
    for (const handle of activation.timers?.values() ?? []) this.#runtime.timers.cancel(handle);
    activation.timers = undefined;
  }
}

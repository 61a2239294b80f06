/** The live cells of one kind on this coordinator: found, opened, loaded in sets. */
import type { AnyActorDef } from './actor.ts';
import type { AnyAddress } from './address.ts';
import { Activation, type ShardLease } from './activation.ts';
import type { Counters } from './counters.ts';
import { Fifo } from './fifo.ts';
import { Backoff } from './backoff.ts';
import { IdleList } from './idle-list.ts';
import { isUnavailable } from './kernel-error.ts';
import type { KernelLimits } from './limits.ts';
import type { KernelLog } from './ports.ts';
import type { Timers } from './timers.ts';

export interface ActorTypeHooks {
  loaded(cell: Activation): void;
  /** Its load fails for reasons of its own. */
  loadFailed(cell: Activation, error: unknown): void;
}

export class ActorType {
  readonly def: AnyActorDef;
  readonly ports: unknown;
  readonly cells = new Map<string, Activation>();
  readonly idle = new IdleList();
  readonly backoff: Backoff;
  readonly liveMax: number;
  readonly #limits: KernelLimits;
  readonly #counters: Counters;
  readonly #log: KernelLog;
  readonly #hooks: ActorTypeHooks;
  readonly #unloaded = new Fifo<Activation>();
  #loads = 0;
  /** Shrinks while loads fail, so that a row that can't be read ends up alone. */
  #setMax: number;

  constructor(
    def: AnyActorDef,
    ports: unknown,
    parts: { timers: Timers; limits: KernelLimits; counters: Counters; log: KernelLog; hooks: ActorTypeHooks },
  ) {
    this.def = def;
    this.ports = ports;
    this.backoff = new Backoff(parts.timers, parts.limits, () => this.pump());
    this.liveMax = def.liveMax ?? parts.limits.liveMax;
    this.#limits = parts.limits;
    this.#counters = parts.counters;
    this.#log = parts.log;
    this.#hooks = parts.hooks;
    this.#setMax = parts.limits.loadMax;
  }

  /** A fresh cell for a key that has none. The caller sees to `liveMax`. */
  open(address: AnyAddress, hold: ShardLease): Activation {
    const cell = new Activation(this.def, address, hold);
    this.cells.set(address.key, cell);
    return cell;
  }

  /** Its turn comes with the next set. */
  awaitLoad(cell: Activation): void {
    cell.phase = 'loading';
    this.#unloaded.push(cell);
  }

  /** Starts as many loads as may run. */
  pump(): void {
    const atOnce = this.backoff.isTroubled ? 1 : this.#limits.loadsMax;
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
      this.#counters.loads++;
      const keys = set.map((cell) => cell.address.key);
      states = await this.def.load(keys, this.ports);
    } catch (error) {
      return this.#failed(set, error);
    }
    this.backoff.succeed('load');
    this.#setMax = Math.min(this.#setMax * 2, this.#limits.loadMax);
    this.#counters.loadedCells += set.length;
    for (const cell of set) {
      if (cell.phase !== 'loading') continue;
      cell.state = states.get(cell.address.key);
      this.#hooks.loaded(cell);
    }
  }

  #failed(set: readonly Activation[], error: unknown): void {
    const waiting = set.filter((cell) => cell.phase === 'loading');
    this.#log.warn('load failed', { actorKind: this.def.kind, keys: set.length, error });
    if (isUnavailable(error)) {
      this.backoff.fail('load');
      this.#unloaded.prepend(waiting);
    } else if (set.length > 1) {
      this.#setMax = Math.max(1, set.length >> 1);
      this.#unloaded.prepend(waiting);
    } else {
      for (const cell of waiting) this.#hooks.loadFailed(cell, error);
    }
  }
}

/** Runs the actors' sweeps: what a lost wake-up would have said is found in rows and said again. */
import type { Kind } from './kind.ts';
import type { KernelLog, Rng } from './ports.ts';
import type { Registry } from './registry.ts';
import type { Timers } from './timers.ts';

export interface SweeperParts {
  readonly registry: Registry;
  readonly timers: Timers;
  readonly rng: Rng;
  readonly log: KernelLog;
  /** Shards to look in; none while nothing may run. */
  shards(): readonly number[];
  tell(kind: string, key: string, message: object): void;
}

export class Sweeper {
  readonly #parts: SweeperParts;
  readonly #running = new Set<string>();
  #isClosed = false;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  start(): void {
    for (const kind of this.#parts.registry.kinds()) this.#plan(kind);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Shards just taken: their former owner may have left anything half said. */
  sweepShards(shards: readonly number[]): void {
    for (const kind of this.#parts.registry.kinds()) this.#sweep(kind, shards, true);
  }

  /** Spread by a fifth around the interval, so that coordinators and kinds don't march in step. */
  #plan(kind: Kind): void {
    const everyMs = kind.def.sweep?.everyMs;
    if (everyMs === undefined || this.#isClosed) return;
    this.#parts.timers.set(everyMs * (0.9 + 0.2 * this.#parts.rng()), () => {
      const shards = this.#running.has(kind.def.kind) || !kind.gate.isOpen ? [] : this.#parts.shards();
      this.#sweep(kind, shards, false).finally(() => this.#plan(kind));
    });
  }

  async #sweep(kind: Kind, shards: readonly number[], isTakenOver: boolean): Promise<void> {
    const { sweep } = kind.def;
    if (sweep === undefined || shards.length === 0) return;
    this.#running.add(kind.def.kind);
    try {
      const found = await sweep.find(shards, kind.ports, isTakenOver);
      if (this.#isClosed) return;
      for (const { key, message } of found) this.#parts.tell(kind.def.kind, key, message);
    } catch (error) {
      this.#parts.log.warn('sweep failed', { actorKind: kind.def.kind, error });
    } finally {
      this.#running.delete(kind.def.kind);
    }
  }
}

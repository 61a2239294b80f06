/** The live cells of all kinds on this coordinator: found, opened within their bound, passivated, ended. */
import { assert } from '../lib/assert.ts';
import type { AnyAddress } from './address.ts';
import type { Activation, ShardLease } from './activation.ts';
import type { Counters } from './counters.ts';
import type { ActorType } from './actor-type.ts';
import type { Timers } from './timers.ts';

/** Cells unloaded in one go; the rest at the next. */
const PASSIVATE_MAX = 10_000;

export class Registry {
  readonly #kinds = new Map<string, ActorType>();
  readonly #timers: Timers;
  readonly #counters: Counters;

  constructor(timers: Timers, counters: Counters) {
    this.#timers = timers;
    this.#counters = counters;
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

  actorTypeOf(cell: Activation): ActorType {
    const kind = this.#kinds.get(cell.def.kind);
    assert(kind !== undefined, `no kind ${cell.def.kind}`);
    return kind;
  }

  /** A fresh cell, in place of the longest idle one where too many live; undefined when none is idle. */
  open(kind: ActorType, address: AnyAddress, hold: ShardLease): Activation | undefined {
    if (kind.cells.size >= kind.liveMax) {
      const victim = kind.idle.first;
      if (victim === undefined) return undefined;
      this.remove(victim);
      this.#counters.passivated++;
    }
    return kind.open(address, hold);
  }

  /** Unloads what has been idle for its time. */
  passivate(nowMs: number): void {
    let count = 0;
    for (const kind of this.#kinds.values()) {
      for (let cell = kind.idle.first; cell !== undefined; cell = kind.idle.first) {
        if (cell.idleSinceMs + kind.def.idleMs > nowMs || count++ >= PASSIVATE_MAX) break;
        this.remove(cell);
        this.#counters.passivated++;
      }
    }
  }

  cellsOf(hold: ShardLease): Activation[] {
    const cells: Activation[] = [];
    for (const kind of this.#kinds.values()) {
      for (const cell of kind.cells.values()) if (cell.hold === hold) cells.push(cell);
    }
    return cells;
  }

  /** The end of a cell. */
  remove(cell: Activation): void {
    this.forget(cell);
    this.cancelTimers(cell);
    cell.phase = 'gone';
    cell.state = undefined;
  }

  /** Its key is free for another cell, while this one still has a commit to end. */
  forget(cell: Activation): void {
    const kind = this.actorTypeOf(cell);
    kind.idle.remove(cell);
    if (kind.cells.get(cell.address.key) === cell) kind.cells.delete(cell.address.key);
  }

  /** Timers belong to a state: they go with it. */
  cancelTimers(cell: Activation): void {
    for (const handle of cell.timers?.values() ?? []) this.#timers.cancel(handle);
    cell.timers = undefined;
  }
}

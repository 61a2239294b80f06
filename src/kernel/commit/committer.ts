/**
 * Gathers turns of many activations into groups and applies each group as one transaction. It does not know what a turn
 * means; it reports to its owner how each one ended. An activation brings its next turn only after that.
 */

import { fencedShards, refusedTurns } from '../actor/kernel-error.ts';
import type { KernelLimits } from '../actor/limits.ts';
import type { ApplyPort, Turn } from '../actor/ports.ts';
import { Fifo } from '../fifo.ts';
import type { TimerHandle, Timers } from '../timers.ts';

export interface PendingTurn {
  readonly turn: Turn<unknown>;
  /** The turn shares its transaction with no other. */
  readonly isAlone: boolean;
}

export interface CommitEnds<P> {
  committed(group: readonly P[], results: readonly (readonly unknown[])[]): void;
  refused(pending: P, error: unknown): void;
  fenced(pending: P): void;
  /** Whether the group was saved is unknown. */
  unsure(group: readonly P[], error: unknown): void;
}

export class Committer<P extends PendingTurn> {
  readonly #port: ApplyPort<unknown>;
  readonly #timers: Timers;
  readonly #limits: KernelLimits;
  readonly #ends: CommitEnds<P>;
  readonly #waiting = new Fifo<P>();
  #lanes: number;
  #inFlight = 0;
  #deadline: TimerHandle | undefined;

  constructor(port: ApplyPort<unknown>, timers: Timers, limits: KernelLimits, ends: CommitEnds<P>) {
    this.#port = port;
    this.#timers = timers;
    this.#limits = limits;
    this.#ends = ends;
    this.#lanes = limits.lanes;
  }

  /** Sets how many groups may be committed at once, at least one. */
  setLanes(lanes: number): void {
    this.#lanes = Math.max(1, lanes);
    this.gathered();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  submit(pending: P): void {
    this.#waiting.push(pending);
  }

  /**
   * A slice of work has ended. If no group is being committed, its turns are committed at once; otherwise they wait a
   * little for more turns.
   */
  gathered(): void {
    while (this.#waiting.length > 0 && this.#inFlight < this.#lanes) {
      if (this.#inFlight > 0 && this.#waiting.length < this.#limits.groupMax) {
        this.#deadline ??= this.#timers.set(this.#limits.groupWaitMs, () => {
          this.#deadline = undefined;
          if (this.#inFlight < this.#lanes) this.#launch();
          this.gathered();
        });
        return;
      }
      this.#launch();
    }
  }

  #launch(): void {
    const group: P[] = [];
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      if (group.length >= this.#limits.groupMax || (next.isAlone && group.length > 0)) break;
      group.push(next);
      this.#waiting.shift();
      if (next.isAlone) break;
    }
    if (group.length === 0) return;
    this.#inFlight++;
    this.#settle(group).finally(() => {
      this.#inFlight--;
      // A lane is free: the turns that gathered meanwhile have waited long enough.
      if (this.#inFlight < this.#lanes) this.#launch();
    });
  }

  /** Never rejects: every turn of the group learns how it ended. */
  async #settle(group: readonly P[]): Promise<void> {
    let results: readonly (readonly unknown[])[];
    try {
      results = await this.#port.apply(group.map((pending) => pending.turn));
      if (results.length !== group.length)
        throw new Error(`${results.length} results for ${group.length} turns`);
    } catch (error) {
      return this.#settleFailed(group, error);
    }
    this.#ends.committed(group, results);
  }

  async #settleFailed(group: readonly P[], error: unknown): Promise<void> {
    const shards = fencedShards(error);
    const refused = refusedTurns(error);
    if (shards !== undefined) {
      const isFenced = (pending: P) => shards.includes(pending.turn.shard);
      if (group.some(isFenced)) {
        for (const pending of group) if (isFenced(pending)) this.#ends.fenced(pending);
        return this.#settleRest(group.filter((pending) => !isFenced(pending)));
      }
    }
    if (refused === undefined) return this.#ends.unsure(group, error);
    const culprits = group.filter((_, at) => group.length === 1 || refused.includes(at));
    for (const pending of culprits) this.#ends.refused(pending, error);
    if (culprits.length > 0) return this.#settleRest(group.filter((pending) => !culprits.includes(pending)));
    const middle = group.length >> 1;
    await this.#settle(group.slice(0, middle));
    return this.#settle(group.slice(middle));
  }

  async #settleRest(rest: readonly P[]): Promise<void> {
    if (rest.length > 0) await this.#settle(rest);
  }
}

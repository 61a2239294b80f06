/**
 * Gathers turns of many activations into groups and applies each group as one transaction. It does not know what a turn
 * means; it reports to its owner how each one ended. An activation brings its next turn only after that.
 */

import { Fenced, TurnRefused } from '../../lib/commit-errors.ts';
import { Fifo } from '../../lib/fifo.ts';
import type { ApplyPort, Turn } from '../actor/ports.ts';
import type { Runtime } from '../runtime.ts';
import type { TimerHandle } from '../timers.ts';

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
  readonly #runtime: Runtime;
  readonly #port: ApplyPort<unknown>;
  readonly #ends: CommitEnds<P>;
  readonly #waiting = new Fifo<P>();
  #lanes: number;
  #inFlight = 0;
  #expectsHinted = false;
  #deadline: TimerHandle | undefined;

  constructor(runtime: Runtime, port: ApplyPort<unknown>, ends: CommitEnds<P>) {
    this.#runtime = runtime;
    this.#port = port;
    this.#ends = ends;
    this.#lanes = runtime.limits.lanes;
  }

  /** Sets how many groups may be committed at once, at least one. */
  setLanes(lanes: number): void {
    this.#lanes = Math.max(1, lanes);
    this.gathered();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** A turn that waits has hinted an activation that is saving: what that one saves next should join it. */
  expectHinted(): void {
    this.#expectsHinted = true;
  }

  submit(pending: P): void {
    this.#waiting.push(pending);
  }

  /**
   * A slice of work has ended. If no group is being committed, its turns are committed at once; otherwise they wait a
   * little for more turns.
   */
  gathered(): void {
    const { timers, limits } = this.#runtime;
    while (this.#waiting.length > 0 && this.#inFlight < this.#lanes) {
      if (this.#inFlight > 0 && this.#waiting.length < limits.groupMax) {
        this.#deadline ??= timers.set(limits.groupWaitMs, () => {
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
    const { groupMax } = this.#runtime.limits;
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      if (group.length >= groupMax || (next.isAlone && group.length > 0)) break;
      group.push(next);
      this.#waiting.shift();
      if (next.isAlone) break;
    }
    if (group.length === 0) return;
    this.#inFlight++;
    this.#settle(group).finally(() => {
      this.#inFlight--;
      // A lane is free: the turns that gathered meanwhile have waited long enough.
      const launch = () => {
        if (this.#inFlight < this.#lanes) this.#launch();
      };
      if (this.#expectsHinted) this.#runtime.clock.soon(launch);
      else launch();
      this.#expectsHinted = false;
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
    if (error instanceof Fenced) {
      const fenced = group.filter((pending) => error.shards.includes(pending.turn.shard));
      for (const pending of fenced) this.#ends.fenced(pending);
      if (fenced.length > 0) return this.#settleRest(group.filter((pending) => !fenced.includes(pending)));
    }
    if (!(error instanceof TurnRefused)) return this.#ends.unsure(group, error);
    const culprits = group.filter((_, at) => group.length === 1 || error.turns.includes(at));
    for (const pending of culprits) this.#ends.refused(pending, error);
    if (culprits.length > 0) return this.#settleRest(group.filter((pending) => !culprits.includes(pending)));
    // The store does not know which turn is to blame: halves are tried apart, until it is alone.
    const middle = group.length >> 1;
    await this.#settle(group.slice(0, middle));
    return this.#settle(group.slice(middle));
  }

  async #settleRest(rest: readonly P[]): Promise<void> {
    if (rest.length > 0) await this.#settle(rest);
  }
}

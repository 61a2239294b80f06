/** Numbers that only grow, and their recent rates. */
import { assert } from '../lib/assert.ts';

const NAMES_MAX = 1_000;

/** What the system has counted since its start. */
export class Totals {
  turns = 0;
  messages = 0;
  commits = 0;
  committedTurns = 0;
  refused = 0;
  fenced = 0;
  unavailable = 0;
  failures = 0;
  /** Tells that were lost to a full mailbox or an unreachable coordinator. Reconciliations find the work. */
  dropped = 0;
  /** Asks whose asker no longer waits, answers without an ask, mail for unknown kinds. */
  deadLetters = 0;
  loads = 0;
  loadedActivations = 0;
  passivated = 0;
  sent = 0;
  received = 0;
  bounced = 0;
}

export class Counters extends Totals {
  readonly #named = new Map<string, number>();
  #before = { ...new Totals(), atMs: 0 };
  #rates = { turnsPerS: 0, commitsPerS: 0, groupSize: 0 };

  /** limit: names come from code and not from data. */
  count(name: string, n: number): void {
    const value = this.#named.get(name);
    assert(value !== undefined || this.#named.size < NAMES_MAX, `too many counters: ${name}`);
    this.#named.set(name, (value ?? 0) + n);
  }

  get totals(): Totals {
    return { ...(this as Totals) };
  }

  get named(): ReadonlyMap<string, number> {
    return this.#named;
  }

  get rates(): { readonly turnsPerS: number; readonly commitsPerS: number; readonly groupSize: number } {
    return this.#rates;
  }

  /** Called periodically; rates are those between the last two calls. */
  measure(nowMs: number): void {
    const before = this.#before;
    const seconds = Math.max(nowMs - before.atMs, 1) / 1_000;
    const commits = this.commits - before.commits;
    this.#rates = {
      turnsPerS: Math.round((this.turns - before.turns) / seconds),
      commitsPerS: Math.round(commits / seconds),
      groupSize: commits === 0 ? 0 : (this.committedTurns - before.committedTurns) / commits,
    };
    this.#before = { ...this.totals, atMs: nowMs };
  }
}

/**
 * Launches that wait for room. The coordinator sends a little more work than fits into the agent's offer, so that the
 * next task starts when one ends, and not two messages and a commit later. Launches start in the order in which they
 * came. One that has waited `WAIT_MS_MAX` is given back: its job is placed elsewhere, or again.
 */
import type { Amounts } from '../../src/domain/node/agent-messages.ts';
import type { Launch } from '../../src/domain/node/coordinator-messages.ts';

export const WAIT_MS_MAX = 1_000;
/** Sums of fractional cpus drift. */
const EPSILON = 1e-6;

export interface LaunchQueueOptions {
  /** What the agent offers to all tasks together. */
  readonly offered: () => Amounts;
  readonly start: (launch: Launch) => void;
  readonly giveBack: (launch: Launch) => void;
  /** How long a launch may wait. Default `WAIT_MS_MAX`. */
  readonly waitMs?: number;
  /** Calls once after a time; the result cancels it. */
  readonly after: (delayMs: number, call: () => void) => () => void;
}

interface Waiting {
  launch: Launch;
  readonly cancelTimeout: () => void;
}

export class LaunchQueue {
  readonly #options: LaunchQueueOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** What each started execution holds. */
  readonly #held = new Map<number, Amounts>();
  readonly #used: Record<string, number> = {};

  constructor(options: LaunchQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size;
  }

  executionIds(): Iterable<number> {
    return this.#waiting.keys();
  }

  /** Starts it if it fits and nothing waits; it waits otherwise. A repeat replaces the one that waits. */
  add(launch: Launch): void {
    const { executionId } = launch;
    const known = this.#waiting.get(executionId);
    if (known !== undefined) {
      known.launch = launch;
      return;
    }
    if (this.#waiting.size === 0 && this.#fits(launch.resources)) {
      this.#options.start(launch);
      return;
    }
    const { after, waitMs = WAIT_MS_MAX } = this.#options;
    const cancelTimeout = after(waitMs, () => this.#giveBack(executionId));
    this.#waiting.set(executionId, { launch, cancelTimeout });
  }

  /** Counts what a started execution holds, until `ended`. */
  begun(executionId: number, resources: Amounts): void {
    if (this.#held.has(executionId)) return;
    this.#held.set(executionId, resources);
    for (const [name, amount] of Object.entries(resources))
      this.#used[name] = (this.#used[name] ?? 0) + amount;
  }

  /** Starts what fits now. An unknown execution changes nothing. */
  ended(executionId: number): void {
    const resources = this.#held.get(executionId);
    if (resources === undefined) return;
    this.#held.delete(executionId);
    for (const [name, amount] of Object.entries(resources))
      this.#used[name] = (this.#used[name] ?? 0) - amount;
    this.#startFitting();
  }

  /** Removes one that waits; undefined: it does not wait. */
  remove(executionId: number): Launch | undefined {
    const found = this.#waiting.get(executionId);
    if (found === undefined) return undefined;
    found.cancelTimeout();
    this.#waiting.delete(executionId);
    this.#startFitting();
    return found.launch;
  }

  /** Gives back all that wait. */
  giveBackAll(): void {
    for (const executionId of [...this.#waiting.keys()]) this.#giveBack(executionId);
  }

  /** Forgets all that wait: the next session sends them again. */
  clear(): void {
    for (const { cancelTimeout } of this.#waiting.values()) cancelTimeout();
    this.#waiting.clear();
  }

  #giveBack(executionId: number): void {
    const found = this.#waiting.get(executionId);
    if (found === undefined) return;
    found.cancelTimeout();
    this.#waiting.delete(executionId);
    this.#options.giveBack(found.launch);
    this.#startFitting();
  }

  #startFitting(): void {
    for (const [executionId, { launch, cancelTimeout }] of this.#waiting) {
      if (!this.#fits(launch.resources)) return;
      cancelTimeout();
      this.#waiting.delete(executionId);
      this.#options.start(launch);
    }
  }

  /**
   * With nothing running, everything fits: an offer that has shrunk meanwhile must not block for ever. What the agent
   * does not offer at all is no reason to wait.
   */
  #fits(resources: Amounts): boolean {
    if (this.#held.size === 0) return true;
    const offered = this.#options.offered();
    return Object.entries(resources).every(([name, amount]) => {
      const whole = offered[name];
      return amount <= 0 || whole === undefined || (this.#used[name] ?? 0) + amount <= whole + EPSILON;
    });
  }
}

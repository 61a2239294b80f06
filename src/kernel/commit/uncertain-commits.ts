/**
 * Activations whose last commit ended without an answer. A server that lost its client may still commit, and an
 * activation that was loaded before that would work with outdated rows for as long as it lives. It is therefore loaded
 * again only once none of those transactions can be running.
 */
import type { Activation } from '../activation/activation.ts';
import type { ApplyPort } from '../actor/ports.ts';
import type { Runtime } from '../runtime.ts';

const LOOK_FIRST_MS = 20;
const LOOK_MAX_MS = 1_000;

export class UncertainCommits {
  readonly #runtime: Runtime;
  readonly #apply: ApplyPort<unknown>;
  /** Called for an activation that may be loaded. */
  readonly #resume: (activation: Activation) => void;
  /** Activations that were added while others are checked: their transactions began later. */
  #next = new Set<Activation>();
  #isLooking = false;

  constructor(runtime: Runtime, apply: ApplyPort<unknown>, resume: (activation: Activation) => void) {
    this.#runtime = runtime;
    this.#apply = apply;
    this.#resume = resume;
  }

  add(activation: Activation): void {
    if (activation.phase === 'gone') return;
    activation.phase = 'waiting';
    this.#next.add(activation);
    if (!this.#isLooking) this.#begin();
  }

  #begin(): void {
    const activations = this.#next;
    this.#next = new Set();
    this.#isLooking = activations.size > 0;
    if (this.#isLooking) this.#look(activations, undefined, LOOK_FIRST_MS);
  }

  async #look(
    activations: ReadonlySet<Activation>,
    marks: readonly string[] | undefined,
    againMs: number,
  ): Promise<void> {
    const { timers, limits, log } = this.#runtime;
    let left: readonly string[];
    try {
      left = (await this.#apply.underWay?.(marks)) ?? [];
    } catch (error) {
      log.warn('transactions_not_read', { error });
      const waitMs = Math.max(againMs, limits.unavailableBackoffMs);
      const nextMs = Math.min(2 * waitMs, limits.unavailableBackoffMaxMs);
      timers.set(waitMs, () => this.#look(activations, marks, nextMs));
      return;
    }
    if (left.length > 0) {
      timers.set(againMs, () => this.#look(activations, left, Math.min(2 * againMs, LOOK_MAX_MS)));
      return;
    }
    for (const activation of activations) this.#resume(activation);
    this.#begin();
  }
}

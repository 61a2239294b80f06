/** Idle activations of a kind, longest idle first. The list is intrusive, so adding and removing allocate nothing. */
import type { Activation } from './activation.ts';

export class IdleList {
  #first: Activation | undefined;
  #last: Activation | undefined;

  get first(): Activation | undefined {
    return this.#first;
  }

  /** Appends an activation that is in no list. */
  add(activation: Activation, nowMs: number): void {
    activation.idleSinceMs = nowMs;
    activation.idleBefore = this.#last;
    if (this.#last === undefined) this.#first = activation;
    else this.#last.idleAfter = activation;
    this.#last = activation;
  }

  /** Does nothing when the activation is in no list. */
  remove(activation: Activation): void {
    if (activation.idleSinceMs < 0) return;
    if (activation.idleBefore === undefined) this.#first = activation.idleAfter;
    else activation.idleBefore.idleAfter = activation.idleAfter;
    if (activation.idleAfter === undefined) this.#last = activation.idleBefore;
    else activation.idleAfter.idleBefore = activation.idleBefore;
    activation.idleBefore = undefined;
    activation.idleAfter = undefined;
    activation.idleSinceMs = -1;
  }
}

/**
 * Idle activations of a kind, the longest idle first: an intrusive list, so that a busy activation costs a few
 * pointers.
 */
import type { Activation } from './activation.ts';

export class IdleList {
  #first: Activation | undefined;
  #last: Activation | undefined;

  get first(): Activation | undefined {
    return this.#first;
  }

  /** Puts an activation that is in no list at the end. */
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

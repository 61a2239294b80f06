/**
 * Idle cells of a kind, the longest idle first: an intrusive list, so that a busy cell costs a few pointers.
 */
import type { Activation } from './activation.ts';

export class IdleList {
  #first: Activation | undefined;
  #last: Activation | undefined;

  get first(): Activation | undefined {
    return this.#first;
  }

  /** Puts a cell that is in no list at the end. */
  add(cell: Activation, nowMs: number): void {
    cell.idleSinceMs = nowMs;
    cell.idleBefore = this.#last;
    if (this.#last === undefined) this.#first = cell;
    else this.#last.idleAfter = cell;
    this.#last = cell;
  }

  /** Does nothing when the cell is in no list. */
  remove(cell: Activation): void {
    if (cell.idleSinceMs < 0) return;
    if (cell.idleBefore === undefined) this.#first = cell.idleAfter;
    else cell.idleBefore.idleAfter = cell.idleAfter;
    if (cell.idleAfter === undefined) this.#last = cell.idleBefore;
    else cell.idleAfter.idleBefore = cell.idleBefore;
    cell.idleBefore = undefined;
    cell.idleAfter = undefined;
    cell.idleSinceMs = -1;
  }
}

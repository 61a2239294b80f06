/** Chance from a seed: the same draws in the same order on every machine. */

export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bf03635) >>> 0;
    for (let at = 0; at < 4; at++) this.next();
  }

  /** Uniform in [0, 1). mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from.length === 0 ? undefined : from[this.int(0, from.length - 1)];
  }

  /** A source of its own: what it draws does not move this one's draws. */
  fork(): Seeded {
    return new Seeded(Math.floor(this.next() * 4_294_967_296));
  }
}

/** Numbers of a seed, so that a run that failed can be had again: `E2E_SEED=<seed> node test/e2e/<file>`. */
import { randomInt } from 'node:crypto';
import type { Test } from 'tap';

export interface Seeded {
  /** 0 <= n < 1. */
  next(): number;
  between(low: number, high: number): number;
}

/** Says its seed in the test's output. */
export function seeded(t: Test): Seeded {
  const seed = Number(process.env.E2E_SEED ?? randomInt(1, 2 ** 31));
  t.comment(`E2E_SEED=${seed}`);
  let state = seed >>> 0;
  const next = (): number => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, between: (low, high) => low + next() * (high - low) };
}

/** The program's one source of randomness for jitter; everyone else is given it. */
import { randomInt } from 'node:crypto';

const STEPS = 2 ** 32;

/** 0 <= n < 1. */
export function createRng(): () => number {
  return () => randomInt(STEPS) / STEPS;
}

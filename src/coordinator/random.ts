/** The program's only source of randomness for jitter; other modules get it as a parameter. */
import { randomInt } from 'node:crypto';

const STEPS = 2 ** 32;

/** 0 <= n < 1. */
export function createRng(): () => number {
  return () => randomInt(STEPS) / STEPS;
}

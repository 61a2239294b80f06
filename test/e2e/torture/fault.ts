/** What a fault is: something done to an installation, and taken back, as a seed draws it. */
import type { Seeded } from '../harness/work/seeded.ts';
import type { Installation } from './installation.ts';

/** What faults are drawn with. */
export interface Draw {
  readonly random: Seeded;
  pick<T>(choices: readonly T[]): T;
  /** For a while, then as before; resolves with how long. `ms`: at most. */
  during(begin: () => void | Promise<void>, end: () => void | Promise<void>, ms?: number): Promise<string>;
}

/** Resolves with what was done in particular. */
export type Fault = (all: Installation, draw: Draw) => Promise<string>;

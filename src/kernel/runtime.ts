import type { KernelLimits } from './actor/limits.ts';
import type { Clock, KernelLog, Rng } from './actor/ports.ts';
import type { Counters } from './counters.ts';
import type { Timers } from './timers.ts';

/** What the parts of one system share. */
export interface Runtime {
  /** The id of this coordinator process, never used again. */
  readonly self: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly rng: Rng;
  readonly limits: KernelLimits;
  readonly counters: Counters;
  readonly log: KernelLog;
}

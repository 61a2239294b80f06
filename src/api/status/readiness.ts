/** Whether load balancers should send requests to this coordinator. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { System } from '../../kernel/mod.ts';

export class Readiness {
  #isDraining = false;

  /**
   * Marks the coordinator as not ready. Resolves after `ms`, or when `giveUp` fires. In this time load balancers notice
   * it, and further requests are still answered.
   */
  async hand(ms: number, giveUp: AbortSignal): Promise<void> {
    this.#isDraining = true;
    if (ms > 0) await sleep(ms, undefined, { signal: giveUp }).catch(() => undefined);
  }

  /** Why the coordinator is not ready for requests; undefined if it is. */
  reason(system: Pick<System, 'stats'>): 'draining' | 'waiting' | undefined {
    if (this.#isDraining) return 'draining';
    return system.stats().isRunning ? undefined : 'waiting';
  }
}

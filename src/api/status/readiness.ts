/** Whether load balancers should send requests to this coordinator. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { System } from '../../kernel/mod.ts';

export class Readiness {
  #isDraining = false;

  /**
   * Reports that the coordinator is not ready from now on. Resolves after `ms`, or when `giveUp` fires: in this time
   * load balancers notice, and requests that still come are answered.
   */
  async hand(ms: number, giveUp: AbortSignal): Promise<void> {
    this.#isDraining = true;
    if (ms > 0) await sleep(ms, undefined, { signal: giveUp }).catch(() => undefined);
  }

  /** Why no requests should be sent here; undefined if they may be sent. */
  reason(system: Pick<System, 'stats'>): 'draining' | 'waiting' | undefined {
    if (this.#isDraining) return 'draining';
    return system.stats().isRunning ? undefined : 'waiting';
  }
}

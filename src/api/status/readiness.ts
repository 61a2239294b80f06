/** Whether load balancers should send requests to this coordinator. */

import type { System } from '../../kernel/mod.ts';

export class Readiness {
  #isDraining = false;

  /**
   * Reports not ready from now on, while requests that still come are answered; resolves after `ms`, or at `giveUp`.
   */
  async hand(ms: number, giveUp: AbortSignal): Promise<void> {
    this.#isDraining = true;
    if (ms === 0 || giveUp.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      const onGiveUp = (): void => {
        clearTimeout(timer);
        resolve();
      };
      giveUp.addEventListener('abort', onGiveUp, { once: true });
    });
  }

  /** Why no requests should be sent here; undefined if they may. */
  reason(system: Pick<System, 'stats'>): 'draining' | 'waiting' | undefined {
    if (this.#isDraining) return 'draining';
    return system.stats().isRunning ? undefined : 'waiting';
  }
}

/** Whether load balancers should send requests to this coordinator. */

import type { System } from '../../kernel/mod.ts';
import type { BusState } from '../../transport/linked-transport.ts';
import { readinessWarnings } from './coordinator-warnings.ts';
import type { ReadyRouteDeps } from './ready-routes.ts';

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

  forRoute(system: Pick<System, 'stats'>, bus: Pick<BusState, 'trouble'>): ReadyRouteDeps['readiness'] {
    return {
      reason: () => {
        if (this.#isDraining) return 'draining';
        return system.stats().isRunning ? undefined : 'waiting';
      },
      warnings: () => readinessWarnings(bus.trouble()),
    };
  }
}

/** Waits for a condition of a service that may be down meanwhile: what it throws counts, until the deadline. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves with the first answer that is neither false nor undefined; throws with the last failure after `withinMs`.
 */
export async function until<T>(
  what: string,
  condition: () => T | false | undefined | Promise<T | false | undefined>,
  withinMs = 60_000,
): Promise<T> {
  const giveUpMs = performance.now() + withinMs;
  for (;;) {
    let failure: unknown;
    try {
      const answer = await condition();
      if (answer !== false && answer !== undefined) return answer;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > giveUpMs) {
      throw new Error(`not within ${withinMs} ms: ${what}`, failure === undefined ? {} : { cause: failure });
    }
    await sleep(50);
  }
}

/** Looks again and again for `forMs`; true when `condition` never failed. For what must not happen. */
export async function stays(condition: () => Promise<boolean>, forMs: number): Promise<boolean> {
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs) {
    if (!(await condition())) return false;
    await sleep(50);
  }
  return true;
}

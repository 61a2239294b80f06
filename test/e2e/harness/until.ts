/** Waits for a condition of a service that may be down meanwhile: what it throws counts, until the deadline. */
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 400;

/**
 * Between two looks at what has been waited for so long: a look is often several requests, and of a service that is
 * busy with what is waited for.
 */
function pauseAfter(waitedMs: number): number {
  return Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, waitedMs / 5));
}

/**
 * Resolves with the first answer that is neither false nor undefined; throws with the last failure after `withinMs`.
 */
export async function until<T>(
  what: string,
  condition: () => T | false | undefined | Promise<T | false | undefined>,
  withinMs = 60_000,
): Promise<T> {
  const beganMs = performance.now();
  const giveUpMs = beganMs + withinMs;
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
    await sleep(pauseAfter(performance.now() - beganMs));
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

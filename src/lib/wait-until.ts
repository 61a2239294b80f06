/** Waiting for a condition of the outside world that has no event: a poll with a deadline. Not for actors. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Calls `condition` until it returns something other than false or undefined, and returns that. Returns undefined when
 * the time is over; calls at least once. Rejects with the signal's reason when aborted.
 */
export async function waitUntil<T>(
  condition: () => T | false | undefined | Promise<T | false | undefined>,
  options: WaitOptions,
): Promise<T | undefined> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const found = await condition();
    if (found !== false && found !== undefined) return found;
    options.signal?.throwIfAborted();
    if (performance.now() >= deadline) return undefined;
    await sleep(options.everyMs ?? 50, undefined, options.signal ? { signal: options.signal } : {});
  }
}

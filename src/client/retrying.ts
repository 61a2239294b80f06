/** When a call is made again, and the pauses in between. */
import { RefusedError, UnreachableError } from './errors.ts';

const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 5_000;

/** Answers that are no refusal of the request itself: overload, a limit of requests, a part that is away. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** 503 that another try would only repeat, after as long a time. */
const LASTING: ReadonlySet<string> = new Set(['QUERY_TOO_SLOW']);

/** How an attempt is made again. */
export interface Retrying {
  /** How long after the first attempt, in ms; 0 makes it once. */
  readonly forMs: number;
  /** Whether a repeat of the request does nothing that the first did not do. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
  /** Called before each further attempt, with the failure of the last. */
  readonly onRetry?: ((error: unknown) => void) | undefined;
}

/**
 * How long to wait after so many failures, in ms: up to 5 s. It is random, half of the pause to the whole, so that many
 * clients do not come back at the same time.
 */
export function pauseMs(failures: number): number {
  const longest = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  const [draw = 0] = crypto.getRandomValues(new Uint32Array(1));
  return longest * (0.5 + draw / 2 ** 33);
}

/** Whether the same request may succeed later: the service did not answer, is overloaded, or misses a part. */
export function mayPass(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (!(error instanceof RefusedError) || LASTING.has(error.code)) return false;
  return PASSING.has(error.status) || error.code === 'IDEMPOTENCY_KEY_IN_USE';
}

/** Makes the attempt again while its failure may pass and there is time. Rejects with the last failure. */
export async function retried<T>(how: Retrying, attempt: (failures: number) => Promise<T>): Promise<T> {
  const endMs = performance.now() + how.forMs;
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt(failures);
    } catch (error) {
      if (!how.isRepeatable || !mayPass(error)) throw error;
      const wanted = error instanceof RefusedError ? error.retryAfterMs : undefined;
      const pause = Math.max(wanted ?? 0, pauseMs(failures));
      if (performance.now() + pause > endMs) throw error;
      how.onRetry?.(error);
      await sleep(pause, how.signal);
    }
  }
}

/** Rejects with the signal's reason when that fires first. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const wake = (): void => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

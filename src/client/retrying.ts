/** Retries of calls: which failures are retried, and the pauses between attempts. */
import { RefusedError, UnreachableError } from './errors.ts';

const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 5_000;

/** Statuses of transient failures: overload, a rate limit, a part of the service that is unavailable. */
const TRANSIENT: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Codes of a 503 that a retry would get again, after as long a time. */
const PERMANENT: ReadonlySet<string> = new Set(['QUERY_TOO_SLOW']);

/** How a call is retried. */
export interface Retrying {
  /** How long after the first attempt it may be retried, in ms; 0: never. */
  readonly forMs: number;
  /** Whether a repeat of the request has no further effect. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
  /** Called before each retry, with the failure of the attempt before it. */
  readonly onRetry?: ((error: unknown) => void) | undefined;
}

/**
 * The pause before the next attempt, in ms, given the number of failures before the last one. It doubles with each
 * failure, up to 5 s. Jitter makes it half of that to all of it, so that many clients do not return at the same time.
 */
export function pauseMs(failures: number): number {
  const longest = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  const [draw = 0] = crypto.getRandomValues(new Uint32Array(1));
  return longest * (0.5 + draw / 2 ** 33);
}

/** Whether a failure is transient: the service did not answer, is overloaded, or a part of it is unavailable. */
export function mayPass(error: unknown): boolean {
  if (error instanceof UnreachableError) return error.mayPass;
  if (!(error instanceof RefusedError) || PERMANENT.has(error.code)) return false;
  return TRANSIENT.has(error.status) || error.code === 'IDEMPOTENCY_KEY_IN_USE';
}

/** Retries while the failure is transient and there is time left. Rejects with the last failure. */
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

/** Resolves after `ms`. Rejects with the signal's reason if the signal fires first. */
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

/** Time for the agent. No other file of the agent uses the runtime's clock and timers; tests pass their own. */

export interface Clock {
  /** ms since 1970. */
  nowMs(): number;
  /** ms since this host started: the same for all processes, and not affected by steps of the wall clock. */
  bootMs(): number;
  /** Calls once after `delayMs`; the result cancels it. A pending call does not keep the process alive. */
  after(delayMs: number, call: () => void): () => void;
}

// limit: a timer's delay is a signed 32-bit number; longer ones would fire at once.
const DELAY_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  bootMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  after: (delayMs, call) => {
    const timer = setTimeout(call, Math.min(delayMs, DELAY_MS_MAX));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or at once when `signal` aborts: the caller checks the signal. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener('abort', done);
  });
}

/** A prepared reason: without one, each abort would create an exception with its stack. */
const ENDED = new Error('ended');

/** Resolves when `work` does, or after `delayMs`; the timer is cleared if it ends in time. Rejects as `work` does. */
export async function atMost(clock: Clock, delayMs: number, work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  try {
    await Promise.race([work, pause(clock, delayMs, ended.signal)]);
  } finally {
    ended.abort(ENDED);
  }
}

/** The clock for monitors. Times have fractions of milliseconds, because they are compared with times of files. */
export const systemMonitorClock = {
  nowMs: (): number => performance.timeOrigin + performance.now(),
  monotonicMs: (): number => performance.now(),
  timer: (afterMs: number, run: () => void): (() => void) => systemClock.after(afterMs, run),
};

/** The machine's time, for the composition root and benches. Everything else is given a clock. */

const TIMER_MAX_MS = 2 ** 31 - 1;

/** Implements the kernel's Clock port. A timer beyond 24 days rings early, which its users tolerate. */
export const realClock = {
  nowMs: (): number => Date.now(),
  monotonicMs: (): number => performance.now(),
  timer(afterMs: number, run: () => void): () => void {
    const handle = setTimeout(run, Math.min(Math.ceil(afterMs), TIMER_MAX_MS));
    return () => clearTimeout(handle);
  },
  soon(run: () => void): void {
    setImmediate(run);
  },
};

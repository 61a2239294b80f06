/** What happens to an activation that failed: data and one pure decision. */

export interface Supervision {
  /** More failures than this within `windowMs` suspend the activation for `backoffMaxMs`. */
  readonly timesMax: number;
  readonly windowMs: number;
  /** The pause before the first restart; it doubles with each failure in the window. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
}

/** The only strategy: load again after a growing pause. */
export function restartWithin(options: {
  readonly timesMax: number;
  readonly windowMs: number;
  readonly backoffMs?: number;
  readonly backoffMaxMs?: number;
}): Supervision {
  return { backoffMs: 100, backoffMaxMs: 30_000, ...options };
}

export interface Verdict {
  readonly isSuspended: boolean;
  readonly waitMs: number;
  /** The failures that still count, latest last; kept for the next decision. */
  readonly failuresMs: readonly number[];
}

/** Decides after a failure at `nowMs`, given the times of the earlier ones. */
export function decide(policy: Supervision, earlierMs: readonly number[], nowMs: number): Verdict {
  const failuresMs = [...earlierMs.filter((atMs) => atMs > nowMs - policy.windowMs), nowMs];
  if (failuresMs.length > policy.timesMax) {
    return { isSuspended: true, waitMs: policy.backoffMaxMs, failuresMs: failuresMs.slice(-policy.timesMax) };
  }
  const doubled = policy.backoffMs * 2 ** (failuresMs.length - 1);
  return { isSuspended: false, waitMs: Math.min(doubled, policy.backoffMaxMs), failuresMs };
}

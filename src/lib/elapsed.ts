/**
 * Whether `forMs` have passed since `sinceMs`, by a clock that may be adjusted. An instant in the future was read
 * before the clock was set back: its age is unknown, so it counts as passed. Milliseconds.
 */
export function hasElapsed(sinceMs: number, forMs: number, nowMs: number): boolean {
  return nowMs - sinceMs >= forMs || nowMs < sinceMs;
}

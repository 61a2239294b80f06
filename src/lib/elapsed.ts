/**
 * Whether `forMs` have passed since `sinceMs`, by a clock that may step. An instant that is still to come was read
 * before the clock stepped back: how long ago is unknown, and it counts as passed. Milliseconds.
 */
export function hasElapsed(sinceMs: number, forMs: number, nowMs: number): boolean {
  return nowMs - sinceMs >= forMs || nowMs < sinceMs;
}

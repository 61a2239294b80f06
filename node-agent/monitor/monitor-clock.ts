/** The times a monitor goes by. Passed in, so that what it decides can be tested without waiting. */
export interface MonitorClock {
  /** Wall clock in milliseconds, with fractions where the system has them: compared with times of files. */
  nowMs(): number;
  /** Never goes back: measures how long something has lasted. */
  monotonicMs(): number;
  /** Runs `run` once after `afterMs`; returns what cancels it. */
  timer(afterMs: number, run: () => void): () => void;
}

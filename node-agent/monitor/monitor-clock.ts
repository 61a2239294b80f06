/** The clocks of a monitor. Passed in, so that its decisions can be tested without waiting. */
export interface MonitorClock {
  /** Wall clock in milliseconds, with fractions where the system has them: compared with times of files. */
  nowMs(): number;
  /** Monotonic: measures durations. */
  monotonicMs(): number;
  /** Runs `run` once after `afterMs`; returns what cancels it. */
  timer(afterMs: number, run: () => void): () => void;
}

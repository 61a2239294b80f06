/** The ports of the statistics actor. All calls are safe to repeat, and to run twice at once. */
export interface StatisticsPorts {
  /** Counts live jobs for the hour of a time, unless that hour has been counted. */
  sampleLoad(atMs: number): Promise<void>;
  /** Counts live jobs for the minute of a time, and measures the minute before it, unless that was done. */
  sampleMinute(atMs: number): Promise<void>;
  /** Adds the deltas of commits to the counters by day. */
  foldStarts(): Promise<void>;
  /** Adds the deltas of commits to the counters of batches. */
  foldBatchCounts(): Promise<void>;
  /** Adds the deltas of commits to the counters of job outcomes. */
  foldOutcomes(nowMs: number): Promise<void>;
  /** Adds the deltas of commits to the counters by hour. */
  foldHours(): Promise<void>;
  /** Adds the deltas of statements to the counters of lists. */
  foldListCounts(): Promise<void>;
}

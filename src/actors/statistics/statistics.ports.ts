/** What the keeper of statistics needs of the world. All are safe to repeat, and to run twice at once. */
export interface StatisticsPorts {
  /** Counts live jobs for the hour of an instant, unless that hour has been counted. */
  sampleLoad(atMs: number): Promise<void>;
  /** Adds what commits have counted to the counters by day. */
  foldStarts(): Promise<void>;
  /** Adds what commits have counted to the counters of what became of jobs. */
  foldOutcomes(nowMs: number): Promise<void>;
  /** Adds what commits have counted to the counters by hour. */
  foldHours(): Promise<void>;
  /** Adds what statements have counted to the counters of lists. */
  foldListCounts(): Promise<void>;
}

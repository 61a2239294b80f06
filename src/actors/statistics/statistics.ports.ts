/** What the keeper of statistics needs of the world. Both are safe to repeat, and to run twice at once. */
export interface StatisticsPorts {
  /** Counts live jobs for the hour of an instant, unless that hour has been counted. */
  sampleLoad(atMs: number): Promise<void>;
  /** Adds what commits have counted to the counters by day. */
  foldStarts(): Promise<void>;
}

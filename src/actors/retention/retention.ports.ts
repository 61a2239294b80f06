/** The ports of the retention actor. All calls are bounded, and safe to repeat or to run twice at once. */
export interface RetentionPorts {
  /** Creates partitions for the logs of future executions. */
  extendLogs(): Promise<void>;
  /** Removes some of the logs before a time. True: there may be more. */
  removeOldLogs(beforeMs: number): Promise<boolean>;
  /** Removes some work that ended before a time and that no file originates from. True: there may be more. */
  removeOldWork(beforeMs: number): Promise<boolean>;
  /** Removes some of the ended sessions and tokens. True: there may be more. */
  removeEndedCredentials(nowMs: number): Promise<boolean>;
  /** Removes some of the answers to requests with an `Idempotency-Key` that are a day old. True: there may be more. */
  removeOldKeys(): Promise<boolean>;
  /** Finishes some of the deletions that were interrupted. True: there may be more. */
  finishDeletions(): Promise<boolean>;
  /** Removes some of the trials of job types whose hour is over. True: there may be more. */
  removeTrials(nowMs: number): Promise<boolean>;
  /** Creates partitions for future changes. */
  extendChanges(): Promise<void>;
  /** Removes some of the stream of changes that is older, or more, than is kept. True: there may be more. */
  removeOldChanges(kept: { readonly beforeMs: number; readonly bytesMax: number }): Promise<boolean>;
}

/** What the keeper of history needs of the world. All of it is bounded, and safe to repeat or to run twice at once. */
export interface RetentionPorts {
  /** Makes room for the logs of executions to come. */
  extendLogs(): Promise<void>;
  /** Removes some of the logs that are older than an instant. True: there may be more. */
  removeOldLogs(beforeMs: number): Promise<boolean>;
  /** Removes some of the work that ended before an instant and explains nothing. True: there may be more. */
  removeOldWork(beforeMs: number): Promise<boolean>;
  /** Removes some of the sessions and tokens that let nobody in any more. True: there may be more. */
  removeEndedCredentials(nowMs: number): Promise<boolean>;
  /** Removes some of the answers to requests with an `Idempotency-Key` that are a day old. True: there may be more. */
  removeOldKeys(): Promise<boolean>;
}

/** The ports of the actor of a purge. */

/** The result of a step: `pauseMs` is the pause before the next. */
export interface PurgeProgress {
  readonly isDone: boolean;
  readonly pauseMs: number;
}

export interface PurgePorts {
  /** Purges of these shards that are not done; bounded. */
  duePurges(shards: readonly number[]): Promise<readonly number[]>;
  /**
   * Executes the next piece of a purge, bounded. Its progress is in rows, which are locked while they are read and
   * written. Repeating a piece, or doing it in two places at once, is harmless.
   */
  advancePurge(purgeId: number): Promise<PurgeProgress>;
}

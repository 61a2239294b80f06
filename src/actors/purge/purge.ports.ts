/** What the actor of a purge needs of the world. */

/** How a step ended: `pauseMs` before the next is worth trying. */
export interface PurgeProgress {
  readonly isDone: boolean;
  readonly pauseMs: number;
}

export interface PurgePorts {
  /** Purges of these shards that are not done; bounded. */
  duePurges(shards: readonly number[]): Promise<readonly number[]>;
  /**
   * Does the next piece of a purge, bounded; how far it has come is in its rows, locked while it is read and written.
   * Doing a piece twice, or at two places at once, does no harm.
   */
  advancePurge(purgeId: number): Promise<PurgeProgress>;
}

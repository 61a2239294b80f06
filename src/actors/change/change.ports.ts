/** The ports of the actor that assigns positions in the stream of changes. */
export interface ChangesPorts {
  /** Assigns positions to the changes that have become visible. Safe to repeat, and to run twice at once. */
  addTick(): Promise<unknown>;
}

/** What the actor of type updates needs of the world. */
export interface TypeUpdatePorts {
  /** Whether a request is not done. */
  hasTypeUpdates(): Promise<boolean>;
  /**
   * Does the next page of the oldest request, in a transaction of its own that holds the catalog's lock. Safe to
   * repeat, and at two places at once. Answers whether no request is left.
   */
  advanceTypeUpdates(): Promise<boolean>;
}

/** The ports of the actor of type updates. */
export interface TypeUpdatePorts {
  /** Whether a request is not done. */
  hasTypeUpdates(): Promise<boolean>;
  /**
   * Executes the next page of the oldest request, in a transaction of its own that holds the catalog's lock. Safe to
   * repeat, and in two places at once. Returns whether no request is left.
   */
  advanceTypeUpdates(): Promise<boolean>;
}

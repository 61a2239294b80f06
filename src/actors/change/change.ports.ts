/** What the giver of positions in the stream of changes needs of the world. */
export interface ChangesPorts {
  /** Gives what has become visible its place in the stream. Safe to repeat, and to run twice at once. */
  giveTick(): Promise<unknown>;
}

/** Errors with which ports refuse or fail a request of the kernel. Their class decides what happens to the turns. */

/**
 * A guard failed, nothing of the group was saved. `turns` are the positions of the turns to blame, if known; without
 * them the group is halved until each of them is alone.
 */
export class TurnRefused extends Error {
  override readonly name = 'TurnRefused';
  readonly turns: readonly number[];
  /** The change itself is to blame, whatever the rows hold: it will be refused again. */
  readonly isLasting: boolean;

  constructor(
    message: string,
    turns: readonly number[] = [],
    { isLasting = false, ...options }: ErrorOptions & { readonly isLasting?: boolean } = {},
  ) {
    super(message, options);
    this.turns = turns;
    this.isLasting = isLasting;
  }
}

/** These shards are held by another coordinator, or at another epoch than their turns. Nothing was saved. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  readonly shards: readonly number[];

  constructor(shards: readonly number[]) {
    super(`shards ${shards.join(', ')} are held by another coordinator or at another epoch`);
    this.shards = shards;
  }
}

/** The service behind a port cannot be reached at present: the kernel waits, and blames no turn. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** Errors of other classes with this `kind` count as unavailable too. */
  readonly kind = 'unavailable';
}

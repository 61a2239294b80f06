/** Assertions: for what must be true unless the program has a bug. Expected failures are AppErrors instead. */

/** A failed assertion. Never caught to carry on: the supervisor restarts or ends. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Throws AssertionError unless `condition` is true. `message` says what was found, never a secret. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Closes an exhaustive switch: it doesn't compile while a case is missing. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}

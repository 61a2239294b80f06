/** Assertions: for what must be true unless the program is wrong. Expected failures are AppErrors instead. */

/** A broken assertion. Never caught to carry on: whoever supervises restarts or ends. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Throws AssertionError unless `condition` holds. `message` says what was found, never a secret. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Closes an exhaustive switch: the compiler refuses it while a member is left. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}

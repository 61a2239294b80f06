/**
 * Counts the values that this thread builds from JSON texts, because parsing and walking them holds the event loop
 * longest.
 */
export class BuiltParts {
  readonly #original = JSON.parse;
  #count = 0;

  constructor() {
    JSON.parse = (...asked: Parameters<typeof JSON.parse>) => {
      const value = this.#original(...asked);
      this.#count += partsOf(value);
      return value;
    };
  }

  /** The number of members of objects, objects and arrays since the last call. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  stop(): void {
    JSON.parse = this.#original;
  }
}

/** Without built-ins, which are counted elsewhere. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 1;
  if (Array.isArray(value)) {
    for (const item of value) count += partsOf(item);
    return count;
  }
  for (const name in value) count += 1 + partsOf((value as Record<string, unknown>)[name]);
  return count;
}

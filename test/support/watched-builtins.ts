/** Counts the input of built-ins whose time depends on its length, which code coverage does not show. */

/**
 * Calls `add` with the number of characters and items of each call. Returns a function that undoes this. It uses
 * nothing else of this file, because its source is evaluated in other threads as well.
 */
export function watchBuiltins(add: (size: number) => void): () => void {
  type Size = (given: unknown, asked: readonly unknown[], made: unknown) => number;
  const restore: (() => void)[] = [];
  /** Wraps a method. `size` gets its object, arguments and result. */
  const watch = (holder: object, name: string, size: Size): void => {
    const methods = holder as Record<string, (...asked: unknown[]) => unknown>;
    const original = methods[name] as (...asked: unknown[]) => unknown;
    const watched = function (this: unknown, ...asked: unknown[]): unknown {
      const made = original.apply(this, asked);
      add(size(this, asked, made));
      return made;
    };
    const put = (value: unknown) =>
      Object.defineProperty(holder, name, { value, configurable: true, writable: true });
    put(watched);
    restore.push(() => put(original));
  };
  /** The length of texts and arrays; 0 for anything else, such as an object with keys. */
  const lengthOf = (given: unknown): number =>
    typeof given === 'string' || Array.isArray(given) ? given.length : 0;

  watch(RegExp.prototype, 'exec', (given, [text], found) => {
    if (found === null) return String(text).length;
    const { index, 0: match } = found as RegExpExecArray;
    // A search that continues from its last match does not read the text before it.
    return (given as RegExp).global ? match.length : index + match.length;
  });
  watch(RegExp.prototype, 'test', (_given, [text]) => String(text).length);
  for (const name of ['includes', 'split', 'replace', 'replaceAll', 'normalize', 'toLowerCase'])
    watch(String.prototype, name, lengthOf);
  for (const holder of [String.prototype, Array.prototype]) {
    watch(holder, 'indexOf', (given, [, from = 0], found) => {
      return ((found as number) < 0 ? lengthOf(given) : (found as number)) - Math.max(0, from as number);
    });
  }
  for (const name of ['includes', 'concat', 'join', 'sort', 'flat', 'find', 'some', 'filter'])
    watch(Array.prototype, name, lengthOf);
  watch(Array.prototype, 'slice', (_given, _asked, made) => lengthOf(made));
  for (const name of ['keys', 'values', 'entries', 'fromEntries'])
    watch(Object, name, (_holder, _asked, made) => lengthOf(made));
  watch(JSON, 'stringify', (_holder, _asked, made) => lengthOf(made));
  return () => {
    for (const one of restore) one();
  };
}

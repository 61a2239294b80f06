/** Built-ins that take time by the length of what they are given, which coverage of code does not see. */

/**
 * Has `add` told how many characters and items each call of them goes through. The answer undoes it. Holds nothing of
 * this file: its text is evaluated in other threads as well.
 */
export function watchBuiltins(add: (size: number) => void): () => void {
  type Size = (given: unknown, asked: readonly unknown[], made: unknown) => number;
  const restore: (() => void)[] = [];
  /** Counts what a method goes through: `size` is told what it is called on, with what, and what it gave. */
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
  /** Texts and arrays have one; anything else, such as an object with keys, has none. */
  const lengthOf = (given: unknown): number =>
    typeof given === 'string' || Array.isArray(given) ? given.length : 0;

  watch(RegExp.prototype, 'exec', (given, [text], found) => {
    if (found === null) return String(text).length;
    const { index, 0: match } = found as RegExpExecArray;
    // One that continues from its last match has not looked at what is before.
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

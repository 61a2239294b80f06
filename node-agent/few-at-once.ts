/**
 * Runs `work` for the items, in order, up to `width` at a time. After a failure no further item begins. Those that are
 * running are awaited, and then the failure of the first item in order is thrown, so that it is the same each time.
 */
export async function fewAtOnce<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const failures = new Map<number, unknown>();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length && failures.size === 0) {
      const index = next;
      next += 1;
      try {
        await work(items[index] as T, index);
      } catch (error) {
        failures.set(index, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
}

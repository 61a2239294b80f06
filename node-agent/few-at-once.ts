/**
 * Runs `work` for one item after another, up to `width` at once. They begin in order. After a failure none begins;
 * running ones are awaited, and the failure of the first in order is thrown, so that it is the same each time.
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

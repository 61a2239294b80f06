/** A binary heap: the smallest item by the given order is on top. Equal items come out in no particular order. */

export class Heap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean, items: Iterable<T> = []) {
    this.#isBefore = isBefore;
    for (const item of items) this.push(item);
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as T;
      if (!this.#isBefore(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return top;
  }

  /** Replaces the top by `item`: cheaper than pop and push. */
  #sink(item: T): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      const right = child + 1;
      if (right < items.length && this.#isBefore(items[right] as T, items[child] as T)) child = right;
      const below = items[child] as T;
      if (!this.#isBefore(below, item)) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }

  /** The items in no particular order. */
  values(): IterableIterator<T> {
    return this.#items.values();
  }
}

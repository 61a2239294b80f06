/** A binary heap: the smallest item by the given order is on top. Equal items come out in no particular order. */

export class Heap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #onPlace: ((item: T, place: number) => void) | undefined;

  /** `onPlace` is called with the place of an item whenever it is put somewhere: `removeAt` takes it out from there. */
  constructor(
    isBefore: (a: T, b: T) => boolean,
    items: Iterable<T> = [],
    onPlace?: (item: T, place: number) => void,
  ) {
    this.#isBefore = isBefore;
    this.#onPlace = onPlace;
    for (const item of items) this.push(item);
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#rise(this.#items.push(item) - 1, item);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (this.#items.length > 0) this.removeAt(0);
    return top;
  }

  /** Removes the item at `place`, which is less than `size`. */
  removeAt(place: number): void {
    const last = this.#items.pop() as T;
    if (place < this.#items.length) this.#sink(place, last);
  }

  /** The items in no particular order. */
  values(): IterableIterator<T> {
    return this.#items.values();
  }

  /** Finds a place for `item` at `place` or below it, or above it when nothing below comes first. */
  #sink(place: number, item: T): void {
    const items = this.#items;
    let at = place;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      const right = child + 1;
      if (right < items.length && this.#isBefore(items[right] as T, items[child] as T)) child = right;
      const below = items[child] as T;
      if (!this.#isBefore(below, item)) break;
      this.#put(at, below);
      at = child;
    }
    this.#rise(at, item);
  }

  #rise(place: number, item: T): void {
    let at = place;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#items[parent] as T;
      if (!this.#isBefore(item, above)) break;
      this.#put(at, above);
      at = parent;
    }
    this.#put(at, item);
  }

  #put(place: number, item: T): void {
    this.#items[place] = item;
    this.#onPlace?.(item, place);
  }
}

/** Reports about files, in the order in which they were added. Each file is in the queue once. */

/** The share of a batch for files with events, while files without events wait. */
const EVENT_SHARE = 0.75;

export class ReportQueue<File, What> {
  /** Reports of files with events. */
  readonly #withEvents = new Map<File, What>();
  /** Reports of files that only listings have found. */
  readonly #listed = new Map<File, What>();

  get size(): number {
    return this.#withEvents.size + this.#listed.size;
  }

  /** The number of reports of files that only listings have found. */
  get listedCount(): number {
    return this.#listed.size;
  }

  has(file: File): boolean {
    return this.#withEvents.has(file) || this.#listed.has(file);
  }

  /** Replaces the report of the file, which keeps its place. */
  set(file: File, what: What, hasEvent: boolean): void {
    const [own, other] = hasEvent ? [this.#withEvents, this.#listed] : [this.#listed, this.#withEvents];
    other.delete(file);
    own.set(file, what);
  }

  delete(file: File): void {
    this.#withEvents.delete(file);
    this.#listed.delete(file);
  }

  /**
   * Takes the next reports out of the queue. Files that have just arrived do not wait for the many that a first listing
   * finds; these get a part of each batch.
   */
  take(countMax: number): [File, What][] {
    const withEventsMax = this.#listed.size === 0 ? countMax : Math.ceil(countMax * EVENT_SHARE);
    const taken: [File, What][] = [];
    for (const [from, max] of [
      [this.#withEvents, withEventsMax],
      [this.#listed, countMax],
    ] as const) {
      for (const [file, what] of from) {
        if (taken.length >= max) break;
        from.delete(file);
        taken.push([file, what]);
      }
    }
    return taken;
  }
}

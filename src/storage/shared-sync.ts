/**
 * One sync for all callers at the same time: a thousand files linked into a directory need a handful of directory
 * syncs, not a thousand. It is independent of files.
 */
export class SharedSync {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /**
   * Resolves when a `sync` for this key that began after this call has ended; rejects when that one failed. The `sync`
   * that runs may be another caller's, so a key must always stand for the same work.
   */
  run(key: string, sync: () => Promise<void>): Promise<void> {
    const waiting = this.#next.get(key);
    if (waiting !== undefined) return waiting;
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, sync);
    const next = running
      // A failure of the previous sync is reported to its own callers.
      .catch(() => undefined)
      .then(() => {
        this.#next.delete(key);
        return this.#start(key, sync);
      });
    this.#next.set(key, next);
    return next;
  }

  #start(key: string, sync: () => Promise<void>): Promise<void> {
    const running = sync().finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    this.#running.set(key, running);
    return running;
  }
}

/** Tasks that need the same image share its pull. A canceled task leaves; the pull continues for the others. */
export class SharedPulls {
  readonly #running = new Map<string, Promise<void>>();

  /** Joins the running pull, or starts one. Rejects with the signal's reason when it is aborted. */
  join(image: string, signal: AbortSignal, begin: () => Promise<void>): Promise<void> {
    let running = this.#running.get(image);
    if (running === undefined) {
      running = begin().finally(() => this.#running.delete(image));
      this.#running.set(image, running);
    }
    const pull = running;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      pull.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }
}

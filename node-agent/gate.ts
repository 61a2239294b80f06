/** Lets a bounded number of pieces of work through at once; the rest wait in order. */

export class Gate {
  readonly #width: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(width: number) {
    this.#width = width;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#width) await new Promise<void>((enter) => this.#waiting.push(enter));
    else this.#inside += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waits takes over our place, so that nobody slips in between.
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}

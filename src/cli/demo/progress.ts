/** A line that is overwritten during the work; without a terminal, a new line from time to time. */

const PLAIN_EVERY_MS = 2_000;

export class Progress {
  readonly #out: NodeJS.WriteStream;
  #shown = '';
  #plainMs = 0;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  show(line: string): void {
    if (line === this.#shown) return;
    this.#shown = line;
    if (this.#out.isTTY) this.#out.write(`\r\u001b[2K${line}`);
    else if (performance.now() - this.#plainMs > PLAIN_EVERY_MS) {
      this.#plainMs = performance.now();
      this.#out.write(`${line}\n`);
    }
  }

  /** Keeps the last line. */
  end(): void {
    this.#out.write(this.#out.isTTY ? '\n' : `${this.#shown}\n`);
  }
}

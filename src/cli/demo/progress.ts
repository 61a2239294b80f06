/** A line that is overwritten during the work; without a screen, a new line from time to time. */
import { isScreen } from '../frame/context.ts';

const PLAIN_EVERY_MS = 2_000;

export class Progress {
  readonly #out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
  readonly #isScreen: boolean;
  #shown = '';
  #plainMs = 0;

  constructor(
    out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#out = out;
    this.#isScreen = isScreen(out, env);
  }

  show(line: string): void {
    if (line === this.#shown) return;
    this.#shown = line;
    if (this.#isScreen) this.#out.write(`\r\u001b[2K${line}`);
    else if (performance.now() - this.#plainMs > PLAIN_EVERY_MS) {
      this.#plainMs = performance.now();
      this.#out.write(`${line}\n`);
    }
  }

  /** Keeps the last line. */
  end(): void {
    this.#out.write(this.#isScreen ? '\n' : `${this.#shown}\n`);
  }
}

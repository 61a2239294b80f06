/**
 * A warning about other programs' input, which may come at any rate: the first is logged at once; further ones are
 * counted, and the count is logged now and then.
 */
import type { Logger } from './logger.ts';

const EVERY_MS = 10_000;

export class RepeatedWarning {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #event: string;
  #untold = 0;
  #last: Readonly<Record<string, unknown>> = {};
  #pause: NodeJS.Timeout | undefined;

  constructor(log: Pick<Logger, 'warn'>, event: string) {
    this.#log = log;
    this.#event = event;
  }

  note(fields: Readonly<Record<string, unknown>>): void {
    this.#untold += 1;
    this.#last = fields;
    if (this.#pause === undefined) this.#tell();
  }

  /** Logs the count that is still pending. */
  close(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (this.#untold > 0) this.#say();
  }

  #tell(): void {
    this.#say();
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#untold > 0) this.#tell();
    }, EVERY_MS).unref();
  }

  #say(): void {
    this.#log.warn(this.#event, { ...this.#last, count: this.#untold });
    this.#untold = 0;
  }
}

/**
 * A warning about other programs' input, which may come at any rate: the first is logged at once; further ones are
 * counted, and the count is logged now and then.
 */
import type { Logger } from './logger.ts';

const EVERY_MS = 10_000;

export class RepeatedWarning {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #event: string;
  #count = 0;
  #last: Readonly<Record<string, unknown>> = {};
  #pause: NodeJS.Timeout | undefined;

  constructor(log: Pick<Logger, 'warn'>, event: string) {
    this.#log = log;
    this.#event = event;
  }

  note(fields: Readonly<Record<string, unknown>>): void {
    this.#count += 1;
    this.#last = fields;
    if (this.#pause === undefined) this.#logAndPause();
  }

  /** Logs the count that is still pending. */
  close(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (this.#count > 0) this.#logCount();
  }

  #logAndPause(): void {
    this.#logCount();
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#count > 0) this.#logAndPause();
    }, EVERY_MS).unref();
  }

  #logCount(): void {
    this.#log.warn(this.#event, { ...this.#last, count: this.#count });
    this.#count = 0;
  }
}

/**
 * A warning about what others send, who may send as much of it as they like: the first is logged at once, further ones
 * are counted, and told now and then with how many they were.
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

  /** Says what is untold. */
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

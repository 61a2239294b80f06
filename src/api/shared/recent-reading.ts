/**
 * A value that is read on request, at most once in `freshMs` for all callers. If it cannot be read, the last value is
 * returned for up to `staleMs`.
 */
import { AppError } from '../../domain/errors.ts';

export interface RecentReadingOptions<T> {
  read(): Promise<T>;
  readonly nowMs: () => number;
  readonly freshMs: number;
  readonly staleMs: number;
  /** How long a caller waits for a read. */
  readonly patienceMs: number;
  /** The message for a caller who has waited too long. */
  readonly late: string;
}

export class RecentReading<T> {
  readonly #options: RecentReadingOptions<T>;
  #last: { readonly value: T; readonly atMs: number } | undefined;
  #reading: Promise<T> | undefined;

  constructor(options: RecentReadingOptions<T>) {
    this.#options = options;
  }

  /** Rejects with the failure of the read, or with AppError DEADLINE_EXCEEDED. */
  async get(): Promise<T> {
    const { freshMs, staleMs, patienceMs, late } = this.#options;
    if (this.#last !== undefined && this.#ageMs() < freshMs) return this.#last.value;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    try {
      return await within(this.#reading, patienceMs, late);
    } catch (error) {
      if (this.#last !== undefined && this.#ageMs() <= staleMs) return this.#last.value;
      throw error;
    }
  }

  #ageMs(): number {
    return this.#options.nowMs() - (this.#last?.atMs ?? Number.NEGATIVE_INFINITY);
  }

  async #read(): Promise<T> {
    const atMs = this.#options.nowMs();
    const value = await this.#options.read();
    this.#last = { value, atMs };
    return value;
  }
}

/** The result, or DEADLINE_EXCEEDED; the read continues for the next caller. */
async function within<T>(work: Promise<T>, ms: number, late: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('DEADLINE_EXCEEDED', late)), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

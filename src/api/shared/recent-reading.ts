/**
 * Something that is read when somebody asks, at most once in `freshMs` however many ask, and handed out for up to
 * `staleMs` while it cannot be read.
 */
import { AppError } from '../../domain/errors.ts';

export interface RecentReadingOptions<T> {
  read(): Promise<T>;
  readonly nowMs: () => number;
  readonly freshMs: number;
  readonly staleMs: number;
  /** How long a caller waits for a reading. */
  readonly patienceMs: number;
  /** What a caller is told who has waited in vain. */
  readonly late: string;
}

export class RecentReading<T> {
  readonly #options: RecentReadingOptions<T>;
  #last: { readonly value: T; readonly atMs: number } | undefined;
  #reading: Promise<T> | undefined;

  constructor(options: RecentReadingOptions<T>) {
    this.#options = options;
  }

  /** Rejects with what kept it from being read, or with AppError DEADLINE_EXCEEDED. */
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

/** The result, or DEADLINE_EXCEEDED; the work goes on for whoever asks next. */
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

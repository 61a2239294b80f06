/** Lists, page by page: one page is in memory at a time. */
import { isObject, readJson } from './answers.ts';
import type { ContactListeners } from './contact.ts';
import { type FailedCall, UnusableAnswerError } from './errors.ts';
import type { Sender } from './sending.ts';

const CURSOR_HEADER = 'millrace-cursor';

/** A list, and how it is read. */
export interface ListRequest extends ContactListeners {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly pageSize: number;
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retryForMs?: number | undefined;
}

interface Page {
  readonly count: number;
  readonly hasMore: boolean;
  readonly results: readonly unknown[];
  readonly cursor: string | undefined;
}

/**
 * Iterates over the records of a list. If it is ordered by id, the default, records that are created meanwhile come at
 * the end. If records are removed meanwhile (by purges), as many later ones may be skipped.
 */
export class RecordList<T> implements AsyncIterable<T> {
  /** Known from the first page on: a cursor of the stream of changes from before the list was read. */
  cursor: string | undefined;
  /** Known from the first page on: the number of records. */
  count: number | undefined;
  readonly #sender: Sender;
  readonly #request: ListRequest;

  constructor(sender: Sender, request: ListRequest) {
    this.#sender = sender;
    this.#request = request;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (let number = 1; ; number += 1) {
      const page = await this.#page(number);
      if (number === 1) {
        this.cursor = page.cursor;
        this.count = page.count;
      }
      yield* page.results as readonly T[];
      if (!page.hasMore || page.results.length === 0) return;
    }
  }

  #page(number: number): Promise<Page> {
    const { path, pageSize, bytesMax, ...settings } = this.#request;
    const query = new URLSearchParams(this.#request.query);
    query.set('page', String(number));
    query.set('page_size', String(pageSize));
    return this.#sender.send(
      { method: 'GET', path: `${path}?${query}`, isRepeatable: true, ...settings },
      async (call, response) =>
        pageOf(
          call,
          await readJson(call, response, bytesMax),
          response.headers.get(CURSOR_HEADER) ?? undefined,
        ),
    );
  }
}

function pageOf(call: FailedCall, body: unknown, cursor: string | undefined): Page {
  if (!isObject(body) || !Array.isArray(body.results) || typeof body.count !== 'number') {
    throw new UnusableAnswerError(call, `${call.method} ${call.path}: the answer is no page of a list`);
  }
  const hasMore = body.next !== null && body.next !== undefined;
  return { count: body.count, hasMore, results: body.results, cursor };
}

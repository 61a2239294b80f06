/** A plain client for tests and benches: JSON over HTTP, follows pages, returns answers unchanged. */
import type { Client } from '../../../src/client/client.ts';
import { createNodeClient } from '../../../src/client/node.ts';
import { AppError } from '../../../src/domain/errors.ts';

export interface Page<T> {
  readonly count: number;
  readonly next: string | null;
  readonly results: readonly T[];
}

/** Lists with a fixed order, which accept no other. */
const OWN_ORDER =
  /\/(?:status|pending|running|system-failures|plot-data|load|revisions|executions|input_files|members)\/(?:\?|$)/;

export class InterfaceClient {
  readonly base: string;
  /** The TypeScript client for the same service. */
  readonly typed: Client;

  /** `base`: `http://host:port`. */
  constructor(base: string) {
    this.base = base;
    this.typed = createNodeClient({ server: base });
  }

  async get<T>(path: string): Promise<T> {
    return (await this.#call('GET', path)) as T;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return (await this.#call('POST', path, body)) as T;
  }

  async patch(path: string, body: unknown): Promise<void> {
    await this.#call('PATCH', path, body);
  }

  /** The number of records of a list. */
  async count(path: string): Promise<number> {
    const glue = path.includes('?') ? '&' : '?';
    return (await this.get<Page<unknown>>(`${path}${glue}page_size=1`)).count;
  }

  /** Every record of a list, page by page. */
  async *all<T>(path: string): AsyncGenerator<T> {
    const glue = path.includes('?') ? '&' : '?';
    const order = OWN_ORDER.test(path) ? '' : '&order=id';
    for (let page = 1; ; page++) {
      const { results, next } = await this.get<Page<T>>(`${path}${glue}page_size=1000${order}&page=${page}`);
      yield* results;
      if (next === null) return;
    }
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(new URL(path, this.base), {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    if (!response.ok) throw new AppError('INVALID_REQUEST', `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

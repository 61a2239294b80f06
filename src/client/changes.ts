/** The stream of changes. It continues at its cursor after a broken connection or the end of a coordinator. */
import { Contact, type ContactListeners } from './contact.ts';
import { ClientError, UnreachableError } from './errors.ts';
import type { Change, QueryOf } from './operations.ts';
import { mayPass, pauseMs, sleep } from './retrying.ts';
import type { Sender } from './sending.ts';
import type { LoadSockets } from './socket.ts';
import { type Batch, CHANGES_CALL, CHANGES_PATH, Subscription } from './subscription.ts';

type ChangesQuery = QueryOf<'get', '/v6/changes/'>;

/** A change must match every filter; it matches a filter by any of its values. */
export type ChangeFilters = Omit<ChangesQuery, 'after' | 'limit'>;

/** Which changes are wanted, and where the stream begins. */
export interface ChangesOptions extends ContactListeners {
  readonly filters?: ChangeFilters | undefined;
  /** A cursor, such as that of a list; `0`: the oldest change that is kept; absent: now. */
  readonly after?: string | undefined;
  /** The `object_version` of the object that the caller has already. Changes up to it are dropped. */
  readonly versionOf?: ((change: Change) => number | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long attempts to open the stream again may fail, in ms. */
  readonly retryForMs?: number | undefined;
}

/** Yields each change once, those of an object in order. Does not end by itself. */
export class ChangeStream implements AsyncIterable<Change> {
  /** The cursor after the last yielded change: store it with the results, and start there the next time. */
  cursor: string | undefined;
  readonly #sender: Sender;
  readonly #loadSockets: LoadSockets;
  readonly #options: ChangesOptions;
  readonly #contact: Contact;

  constructor(sender: Sender, loadSockets: LoadSockets, options: ChangesOptions) {
    this.#sender = sender;
    this.#loadSockets = loadSockets;
    this.#options = options;
    this.#contact = new Contact(options);
    this.cursor = options.after;
  }

  /**
   * Rejects with the signal's reason when that fires; with a RefusedError CHANGES_GONE if the changes after the cursor
   * are no longer kept (read the lists again); with another RefusedError if the caller may not read or a filter is
   * wrong; and with the last failure after `retryForMs` without the service.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Change> {
    const { versionOf, signal } = this.#options;
    const { forMs } = this.#sender.retryingOf({ ...this.#options, isRepeatable: true });
    let aliveMs = performance.now();
    for (let failures = 0; ; failures += 1) {
      signal?.throwIfAborted();
      const subscription = await this.#subscribe();
      try {
        for (let batch = await subscription.next(); batch !== undefined; batch = await subscription.next()) {
          [failures, aliveMs] = [0, performance.now()];
          this.#contact.find();
          yield* this.#fresh(batch, versionOf);
          this.cursor = batch.cursor;
        }
      } finally {
        subscription.close();
      }
      // A coordinator that drains ends its streams in order; the first attempt then opens another: no loss to report.
      const failure = await this.#check(performance.now() - aliveMs, forMs);
      if (failure !== undefined || failures > 0) this.#contact.lose(failure ?? unopened(this.#sender));
      await sleep(pauseMs(failures), signal);
    }
  }

  async #subscribe(): Promise<Subscription> {
    const { filters = {}, signal } = this.#options;
    const url = this.#sender.addressOf(CHANGES_PATH).replace(/^http/, 'ws');
    const open = await this.#loadSockets();
    return new Subscription(open, url, await this.#sender.credentials(), {
      filters: listsOf(filters),
      after: this.cursor,
      signal,
    });
  }

  *#fresh(batch: Batch, versionOf: ChangesOptions['versionOf']): Generator<Change> {
    for (const change of batch.changes) {
      const known = versionOf?.(change);
      const isFresh = known === undefined || change.object_version > known;
      if (isFresh) yield change;
      this.cursor = change.cursor;
    }
  }

  /**
   * Finds out why a socket was refused, which the socket does not say, by a request to the same address. Resolves with
   * a transient failure, or with undefined if the service answers. Rejects with a permanent failure, and with any
   * failure after `forMs` of silence.
   */
  async #check(silentMs: number, forMs: number): Promise<ClientError | undefined> {
    const { signal } = this.#options;
    const query = new URLSearchParams({
      limit: '1',
      ...(this.cursor === undefined ? {} : { after: this.cursor }),
    });
    try {
      await this.#sender.send(
        { method: 'GET', path: `${CHANGES_PATH}?${query}`, isRepeatable: true, signal, retryForMs: 0 },
        async (_call, response) => response.body?.cancel(),
      );
    } catch (error) {
      const isPassing = error instanceof ClientError && mayPass(error);
      if (signal?.aborted === true || !isPassing || silentMs > forMs) throw error;
      return error;
    }
    if (silentMs > forMs) throw unopened(this.#sender);
    return undefined;
  }
}

function unopened({ origin }: Sender): UnreachableError {
  return new UnreachableError(CHANGES_CALL, `the stream of changes cannot be opened at ${origin}`);
}

function listsOf(filters: ChangeFilters): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])),
  );
}

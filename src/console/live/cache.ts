/**
 * Marks queries as out of date when their objects change. A query's `meta` names the kinds of objects that it shows,
 * and the id if it shows one. It is read again at most once in `PAUSE_MS`, and only while its tab is visible.
 */
import type { Query, QueryClient } from '@tanstack/react-query';
import { RefusedError } from '../../client/errors.ts';
import type { Change } from '../../client/operations.ts';
import { concerns, type Shown } from './shown.ts';

const PAUSE_MS = 1_000;
/** A call that began while the service was away has failed by then. */
const CALLS_FAILED_MS = 5_000;

export class LiveCache {
  readonly #queries: QueryClient;
  #changes: Change[] = [];
  #hasGap = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient) {
    this.#queries = queries;
    document.addEventListener('visibilitychange', () => this.#schedule());
  }

  changed(changes: readonly Change[]): void {
    // A hidden tab does not remember changes: it reads everything again when it is shown.
    if (document.hidden) this.#hasGap = true;
    else this.#changes.push(...changes);
    this.#schedule();
  }

  missed(): void {
    this.#hasGap = true;
    this.#schedule();
  }

  /** The connection is back: repeats queries that failed meanwhile. No change may ever put these out of date. */
  recovered(): void {
    this.#readFailed();
    setTimeout(() => this.#readFailed(), CALLS_FAILED_MS);
  }

  #readFailed(): void {
    const hasFailed = ({ state: { error } }: Query): boolean =>
      error !== null && !(error instanceof RefusedError && error.status < 500);
    void this.#queries.refetchQueries({ type: 'active', predicate: hasFailed }, { cancelRefetch: false });
  }

  #schedule(): void {
    const isIdle = this.#changes.length === 0 && !this.#hasGap;
    if (isIdle || document.hidden) return;
    this.#timer ??= setTimeout(() => this.#apply(), PAUSE_MS);
  }

  #apply(): void {
    this.#timer = undefined;
    const [changes, hasGap] = [this.#changes, this.#hasGap];
    this.#changes = [];
    this.#hasGap = false;
    const isStale = ({ meta, state: { data } }: Query): boolean => {
      const shown = meta?.shown as Shown | undefined;
      if (shown === undefined) return false;
      return hasGap || changes.some((change) => concerns(shown, change, data));
    };
    void this.#queries.invalidateQueries({ predicate: isStale }, { cancelRefetch: false });
  }
}

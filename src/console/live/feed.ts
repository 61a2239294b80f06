/** Follows the stream of changes over a WebSocket. After a lost connection it continues from the cursor. */
import { createBrowserClient } from '../../client/browser.ts';
import type { ChangeStream } from '../../client/changes.ts';
import { isChangesGone, RefusedError } from '../../client/errors.ts';
import type { Change } from '../../client/operations.ts';
import type { LiveState, ToTab } from './messages.ts';

/** Changes within this time are handed on together. */
const BATCH_MS = 100;
const PAUSE_MS = 3_000;

export class Feed {
  readonly #emit: (message: ToTab) => void;
  #state: LiveState = 'waiting';
  #running: AbortController | undefined;
  #cursor: string | undefined;
  #pending: Change[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(emit: (message: ToTab) => void) {
    this.#emit = emit;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Does nothing if it runs already. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#running = new AbortController();
    this.#setState(this.#cursor === undefined ? 'waiting' : 'lost');
    void this.#run(this.#running.signal);
  }

  /** Stops it. A later start continues after the last change. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#flush();
  }

  /** Stops it and forgets the cursor, because another account logs in: it begins without a cursor. */
  forget(): void {
    this.stop();
    this.#cursor = undefined;
    this.#setState('waiting');
  }

  async #run(signal: AbortSignal): Promise<void> {
    const client = createBrowserClient({
      server: location.origin,
      onConnection: (isOpen) => {
        if (!signal.aborted) this.#connected(isOpen);
      },
    });
    while (!signal.aborted) {
      const stream = client.changes({ after: this.#cursor, signal, retryForMs: Number.POSITIVE_INFINITY });
      try {
        await this.#follow(stream);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RefusedError && (error.status === 401 || error.status === 403)) {
          this.stop();
          this.#setState('ended');
          return;
        }
        if (isChangesGone(error)) {
          this.#cursor = undefined;
          continue;
        }
        this.#setState('lost');
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  async #follow(stream: ChangeStream): Promise<void> {
    for await (const change of stream) {
      this.#pending.push(change);
      this.#cursor = change.cursor;
      this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
    }
  }

  /** A stream without a cursor has no earlier changes: a gap says that everything is to be read again. */
  #connected(isOpen: boolean): void {
    this.#setState(isOpen ? 'live' : 'lost');
    if (isOpen && this.#cursor === undefined) this.#emit({ type: 'gap' });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length === 0) return;
    const changes = this.#pending;
    this.#pending = [];
    this.#emit({ type: 'changes', changes });
  }

  #setState(state: LiveState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#emit({ type: 'state', state });
  }
}

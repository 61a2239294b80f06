/**
 * Sends batches of a tracker one after another, each until it is acknowledged. Unsent files remain in the tracker, so
 * that a slow receiver costs no further memory.
 */
import type { FileTracker, SeenFile } from './file-tracker.ts';
import type { MonitorClock } from './monitor-clock.ts';

export interface SenderOptions {
  readonly filesPerBatch: number;
  /** How long the first file of a batch waits for others. */
  readonly lingerMs: number;
  /** The interval between two batches, unless one is full. */
  readonly everyMs: number;
  /** Resolves when the batch is committed. Rejects if that is unknown: it is sent again with its present files. */
  readonly onBatch: (files: readonly SeenFile[]) => Promise<void>;
  /** Called when a batch was not acknowledged. */
  readonly onRefused: (error: unknown) => void;
}

const RETRY_MS = 100;
const RETRY_MAX_MS = 5_000;

export class BatchSender {
  readonly #tracker: FileTracker;
  readonly #clock: MonitorClock;
  readonly #options: SenderOptions;
  #retryMs = 0;
  #sentMs = Number.NEGATIVE_INFINITY;
  #isBusy = false;
  #isStopped = false;
  #sending: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(tracker: FileTracker, clock: MonitorClock, options: SenderOptions) {
    this.#tracker = tracker;
    this.#clock = clock;
    this.#options = options;
  }

  /** Call this whenever the tracker may have something to report. */
  wake(): void {
    if (this.#isBusy || this.#isStopped || this.#tracker.pendingCount === 0) return;
    this.#isBusy = true;
    this.#cancelTimer = this.#clock.timer(this.#waitMs(), () => {
      this.#sending = this.#send();
    });
  }

  #waitMs(): number {
    if (this.#retryMs > 0) return this.#retryMs;
    const { filesPerBatch, lingerMs, everyMs } = this.#options;
    if (this.#tracker.pendingCount >= filesPerBatch) return 0;
    return Math.max(lingerMs, this.#sentMs + everyMs - this.#clock.monotonicMs());
  }

  /** Resolves when no batch is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#sending;
  }

  async #send(): Promise<void> {
    const batch = this.#tracker.takeBatch(this.#options.filesPerBatch);
    this.#sentMs = this.#clock.monotonicMs();
    try {
      if (batch.length > 0) await this.#options.onBatch(batch);
      this.#tracker.acknowledge(batch);
      this.#retryMs = 0;
    } catch (error) {
      this.#tracker.reject(batch);
      this.#retryMs = Math.min(RETRY_MAX_MS, Math.max(RETRY_MS, this.#retryMs * 2));
      this.#options.onRefused(error);
    }
    this.#isBusy = false;
    this.wake();
  }
}

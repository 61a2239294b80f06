/**
 * Lets a coordinator's start wait for the services that it needs: each step is retried with a growing pause while it
 * fails because a service cannot be reached. Permanent errors end the start.
 */
import { AppError } from '../domain/errors.ts';
import type { Clock, LeasePort, System } from '../kernel/mod.ts';
import type { Logger } from '../lib/logger.ts';

const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 5_000;

export interface StartUpOptions {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Fires when the program must end: all waits end. */
  readonly stopping: AbortSignal;
  readonly clock: Pick<Clock, 'timer'>;
}

export class StartUp {
  readonly #options: StartUpOptions;
  #reason = 'the coordinator is starting';

  constructor(options: StartUpOptions) {
    this.#options = options;
  }

  /** What the start waits for, as a sentence for callers. */
  get reason(): string {
    return this.#reason;
  }

  /**
   * The result of `attempt`, which may be called many times. Rejects with AppError SHUTTING_DOWN if the program must
   * end meanwhile, and at once with an error that is not an outage.
   */
  async until<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    const { log } = this.#options;
    for (let failures = 0; ; failures += 1) {
      this.#throwIfStopping();
      try {
        const result = await attempt();
        if (failures > 0) log.info('start_continues', { what, tries: failures + 1 });
        this.#reason = 'the coordinator is starting';
        return result;
      } catch (error) {
        if (!isOutage(error)) throw error;
        this.#reason = `the coordinator waits for ${what}: ${error.message}`;
        log.warn('start_waits', { what, reason: withCause(error) });
      }
      const pauseMs = Math.min(PAUSE_MIN_MS * 2 ** Math.min(failures, 10), PAUSE_MAX_MS);
      await this.#pause(pauseMs); // the loop checks for the abort
    }
  }

  /** The result of work that has already started. */
  async result<T>(what: string, underWay: Promise<T>): Promise<T> {
    const { stopping } = this.#options;
    this.#reason = `the coordinator waits for ${what}`;
    const result = await Promise.race([aborted(stopping), underWay]);
    this.#reason = 'the coordinator is starting';
    return result;
  }

  /** Ends early if the program must end. */
  #pause(forMs: number): Promise<void> {
    const { clock, stopping } = this.#options;
    if (stopping.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        stopping.removeEventListener('abort', end);
        resolve();
      };
      const cancel = clock.timer(forMs, end);
      stopping.addEventListener('abort', end);
    });
  }

  #throwIfStopping(): void {
    if (this.#options.stopping.aborted) throw ended();
  }
}

/**
 * The leases, with a registration that is retried during an outage. If a retry finds this coordinator's id in use, an
 * earlier try has succeeded and its answer was lost.
 */
export function registeringFor(startUp: StartUp, leases: LeasePort): LeasePort {
  return {
    ...leases,
    async register(self, addresses) {
      let isAgain = false;
      await startUp.until('the database', () => {
        const taken = leases.register(self, addresses).catch((error: unknown) => {
          if (!isAgain || !(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
        });
        isAgain = true;
        return taken;
      });
    },
  };
}

/** Resolves when a started system holds its shard leases. Rejects as `until` does. */
export async function untilRunning(startUp: StartUp, system: Pick<System, 'stats'>): Promise<void> {
  await startUp.until('the leases of its shards', async () => {
    if (!system.stats().isRunning) throw new AppError('STORE_UNAVAILABLE', 'they were not renewed in time');
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  if (signal.aborted) return Promise.reject(ended());
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(ended()), { once: true }));
}

function ended(): AppError {
  return new AppError('SHUTTING_DOWN', 'the start was ended');
}

function isOutage(error: unknown): error is AppError {
  return error instanceof AppError && error.retryable && error.status === 503;
}

/** The message with the server's own, for the operator. It may contain an account or a database, but no password. */
function withCause(error: AppError): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/**
 * Keeps the embedded server running: when it ends unexpectedly, restarts it with back-off at the same address.
 * Meanwhile its users see lost connections, as with any database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from './postgres.ts';

export interface KeptServer {
  readonly url: string;
  /** The current server; it may just have ended. */
  readonly current: EmbeddedServer;
  readonly restartCount: number;
  stop(): Promise<void>;
}

const BACK_OFF_FIRST_MS = 100;
/** Short, because everything waits for the database, and a try costs at most a second of one core. */
const BACK_OFF_MAX_MS = 5_000;
/** A server that ran this long resets the back-off. */
const STEADY_MS = 60_000;

/**
 * Rejects like startEmbedded when the first start fails; later failures are retried until `stop`. `signal` ends the
 * first start only.
 */
export async function keepEmbedded(options: EmbeddedOptions): Promise<KeptServer> {
  const first = await startEmbedded(options);
  const keeper: Keeper = { current: first, restartCount: 0, aborter: new AbortController() };
  const { signal: _, ...later } = options;
  const watching = watch(keeper, later);
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    keeper.aborter.abort();
    // A restart in progress is awaited first, so that its server is stopped as well.
    await keeper.restarting;
    await keeper.current.stop();
  };
  watching.catch((error) => options.log.error('embedded_database_watch_ended', { error }));
  return {
    url: first.url,
    get current() {
      return keeper.current;
    },
    get restartCount() {
      return keeper.restartCount;
    },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

interface Keeper {
  current: EmbeddedServer;
  restartCount: number;
  restarting?: Promise<void>;
  readonly aborter: AbortController;
}

async function watch(keeper: Keeper, options: EmbeddedOptions): Promise<void> {
  const { signal } = keeper.aborter;
  let backOffMs = BACK_OFF_FIRST_MS;
  while (!signal.aborted) {
    const begin = performance.now();
    await keeper.current.exited;
    if (signal.aborted) return;
    if (performance.now() - begin > STEADY_MS) backOffMs = BACK_OFF_FIRST_MS;
    options.log.warn('embedded_database_ended', { pid: keeper.current.pid, restartInMs: backOffMs });
    for (let isUp = false; !isUp && !signal.aborted; backOffMs = Math.min(backOffMs * 2, BACK_OFF_MAX_MS)) {
      await sleep(backOffMs, undefined, { signal }).catch(() => undefined); // aborted; the loop checks for it
      if (signal.aborted) return;
      const attempt = restart(keeper, options);
      keeper.restarting = attempt.then(() => undefined);
      isUp = await attempt;
    }
  }
}

async function restart(keeper: Keeper, options: EmbeddedOptions): Promise<boolean> {
  try {
    keeper.current = await startEmbedded(options);
    keeper.restartCount += 1;
    return true;
  } catch (error) {
    options.log.error('embedded_database_not_restarted', { error });
    return false;
  }
}

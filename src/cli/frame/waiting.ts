/** Waits for a record by the stream of changes: after a change the record is read again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeFilters } from '../../client/changes.ts';
import type { Client } from '../../client/client.ts';
import type { Context } from './context.ts';

/** Used while a person waits: reports when the service cannot be reached, and when it is back. */
export function patient({ signal, onLost, onBack }: Context) {
  return { signal, onLost, onBack, retryForMs: Number.POSITIVE_INFINITY };
}

/** The time between two reads, however many changes come. */
const PAUSE_MS = 250;

/** Resolves with the first wanted value of `read`. `filters` choose the changes after which it is read again. */
export async function waitFor<T>(
  context: Context,
  client: Client,
  filters: ChangeFilters,
  read: () => Promise<T>,
  isWanted: (record: T) => boolean | Promise<boolean>,
): Promise<T> {
  const { signal } = context;
  // A position from before the record is read: what happens in between is in the stream.
  const { cursor } = await client.get('/v6/changes/', { query: { limit: 1 }, signal });
  const first = await read();
  if (await isWanted(first)) return first;
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const stream = client.changes({ ...patient(context), filters, after: cursor, signal: either });
  const news = { isThere: false, wake: (): void => undefined };
  const following = (async () => {
    for await (const _ of stream) {
      news.isThere = true;
      news.wake();
    }
  })();
  try {
    for (;;) {
      if (!news.isThere) {
        const woken = new Promise<void>((resolve) => {
          news.wake = resolve;
        });
        await Promise.race([following, woken]);
      }
      news.isThere = false;
      const record = await read();
      if (await isWanted(record)) return record;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  } finally {
    following.catch(() => undefined);
    done.abort(new Error('no longer waited for'));
  }
}

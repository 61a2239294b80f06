/** Limits by key in bounded memory: requests by a bucket that refills, failed logins by waits that double. */
import { LRUCache } from 'lru-cache';
import { holderOf } from '../lib/addresses.ts';

/** limit: keys that are remembered; the least recently used is dropped first. */
const KEYS_MAX = 10_000;

/** Seconds of the rate that may come in one burst. */
const BURST_S = 5;

export interface RequestLimit {
  /** Counts a request. Undefined if it is allowed; otherwise the seconds until the next attempt. */
  take(key: string, nowMs: number): number | undefined;
}

/** `perSecond` 0: no limit. */
export function createRequestLimit(perSecond: number): RequestLimit {
  const buckets = new LRUCache<string, { left: number; atMs: number }>({ max: KEYS_MAX });
  const full = perSecond * BURST_S;
  return {
    take(key, nowMs) {
      if (perSecond === 0) return undefined;
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = { left: full, atMs: nowMs };
        buckets.set(key, bucket);
      }
      const refilled = ((nowMs - bucket.atMs) / 1_000) * perSecond;
      bucket.left = Math.min(full, bucket.left + Math.max(0, refilled));
      bucket.atMs = Math.max(bucket.atMs, nowMs);
      if (bucket.left < 1) return 1;
      bucket.left -= 1;
      return undefined;
    },
  };
}

/** Failures without a wait, for typing errors. */
const FREE_FAILURES = 5;
/** Higher, because many people share an address. */
const FREE_FAILURES_OF_ADDRESS = 50;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 900_000;
/** Failures are forgotten after this time without a further one. */
const FORGET_MS = 3_600_000;

interface Failures {
  count: number;
  atMs: number;
}

/** Waits after failed logins: for one name from one address, and for an address with any name. */
export interface LoginLimit {
  /** Seconds until the next attempt; undefined: now. */
  waitS(username: string, address: string, nowMs: number): number | undefined;
  /**
   * Counts an attempt as failed before its password is checked, so that concurrent attempts all count. The function
   * that it returns takes this attempt back, and leaves earlier ones.
   */
  tried(username: string, address: string, nowMs: number): () => void;
  /** Forgets the failures for the name. */
  succeeded(username: string, address: string): void;
}

/** `ownKey`: the key by which failures are counted in addition to the address. */
export function createLoginLimit(
  ownKey = (username: string, address: string) => `${holderOf(address)} ${username.toLowerCase()}`,
): LoginLimit {
  const failures = new LRUCache<string, Failures>({ max: KEYS_MAX });
  const keysOf = (username: string, address: string): readonly (readonly [string, number])[] => [
    [ownKey(username, address), FREE_FAILURES],
    [holderOf(address), FREE_FAILURES_OF_ADDRESS],
  ];
  const waitOf = (key: string, freeCount: number, nowMs: number): number => {
    const { count, atMs } = failures.get(key) ?? { count: 0, atMs: nowMs };
    if (count < freeCount || nowMs - atMs > FORGET_MS) return 0;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, count - freeCount));
    return Math.max(0, atMs + waitMs - nowMs);
  };
  return {
    waitS(username, address, nowMs) {
      const waits = keysOf(username, address).map(([key, freeCount]) => waitOf(key, freeCount, nowMs));
      const waitMs = Math.max(...waits);
      return waitMs === 0 ? undefined : Math.ceil(waitMs / 1_000);
    },
    tried(username, address, nowMs) {
      const before = keysOf(username, address).map(([key]) => {
        const known = failures.get(key);
        const isForgotten = known === undefined || nowMs - known.atMs > FORGET_MS;
        failures.set(key, { count: isForgotten ? 1 : known.count + 1, atMs: nowMs });
        return { key, atMs: known?.atMs ?? nowMs };
      });
      return () => {
        for (const { key, atMs } of before) {
          const known = failures.get(key);
          if (known === undefined) continue;
          const isLast = known.atMs === nowMs;
          failures.set(key, { count: Math.max(0, known.count - 1), atMs: isLast ? atMs : known.atMs });
        }
      };
    },
    succeeded(username, address) {
      const [[own] = ['']] = keysOf(username, address);
      failures.delete(own);
      const all = failures.get(holderOf(address));
      // The successful attempt was counted as well.
      if (all !== undefined) failures.set(holderOf(address), { ...all, count: Math.max(0, all.count - 1) });
    },
  };
}

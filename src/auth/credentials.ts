/**
 * Credentials: random tokens, of which only hashes are stored, and their accounts. Look-ups are cached briefly: a
 * revoked token is refused at once here, and within `TTL_MS` by other coordinators.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../domain/access.ts';
import { findSession, findToken, touchSession, touchToken } from '../store/account/access-tokens.ts';
import type { Sql } from '../store/sql/sql.ts';

const TOKEN_BYTES = 32;
/** Lets secret scanners recognize tokens in published text. */
const TOKEN_PREFIX = 'mlr_';
const TTL_MS = 2_000;
/** limit: cached credentials. */
const REMEMBERED_MAX = 5_000;
/** The last use of a token or session is written at most this often. */
const TOUCH_EVERY_MS = 300_000;
/** A session that is not used for this time ends. */
export const SESSION_IDLE_MS = 86_400_000;
/** limit: longer texts cannot be our tokens. */
const SHOWN_CHARS_MAX = 200;

export function newToken(): string {
  return TOKEN_PREFIX + randomSecret();
}

/** 256 random bits. */
export function randomSecret(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The token of an `Authorization` header; '' if it has none. */
export function tokenIn(authorization: string): string {
  return /^(?:token|bearer)\s+(\S+)\s*$/i.exec(authorization)?.[1] ?? '';
}

/** The stored form: a text with 256 random bits needs no salt and no slow hash. */
export function hashOf(shown: string): Buffer {
  return createHash('sha256').update(shown).digest();
}

export interface Known {
  readonly caller: Caller;
  /** The hash of the value that scripts of our pages send with writes; undefined without a session. */
  readonly csrfHash: Buffer | undefined;
}

/** Synchronous if it is cached; undefined if it is not valid. */
export type Found = Known | undefined | Promise<Known | undefined>;

export interface Credentials {
  byToken(shown: string, nowMs: number): Found;
  bySession(shown: string, nowMs: number): Found;
  /** Called after each change of accounts, tokens or sessions. */
  forget(): void;
}

export function isSameSecret(shown: string, hash: Buffer): boolean {
  return timingSafeEqual(hashOf(shown), hash);
}

export function createCredentials(sql: Sql): Credentials {
  const remembered = new LRUCache<string, { known: Known; untilMs: number }>({ max: REMEMBERED_MAX });
  let epoch = 0;
  const find = (
    kind: 'token' | 'session',
    shown: string,
    nowMs: number,
    load: (hash: Buffer) => Promise<(Known & { untilMs: number }) | undefined>,
  ): Found => {
    if (shown === '' || shown.length > SHOWN_CHARS_MAX) return undefined;
    const hash = hashOf(shown);
    const key = `${kind} ${hash.toString('base64')}`;
    const recent = remembered.get(key);
    if (recent !== undefined && nowMs < recent.untilMs) return recent.known;
    remembered.delete(key);
    const begun = epoch;
    return load(hash).then((known) => {
      if (known === undefined || begun !== epoch) return known;
      remembered.set(key, { known, untilMs: Math.min(nowMs + TTL_MS, known.untilMs) });
      return known;
    });
  };
  return {
    byToken: (shown, nowMs) => find('token', shown, nowMs, (hash) => loadToken(sql, hash, nowMs)),
    bySession: (shown, nowMs) => find('session', shown, nowMs, (hash) => loadSession(sql, hash, nowMs)),
    forget() {
      epoch += 1;
      remembered.clear();
    },
  };
}

type Loaded = Known & { readonly untilMs: number };

async function loadToken(sql: Sql, hash: Buffer, nowMs: number): Promise<Loaded | undefined> {
  const token = await findToken(sql, hash, nowMs);
  if (token === undefined) return undefined;
  if (nowMs - (token.lastUsedMs ?? 0) > TOUCH_EVERY_MS) await touchToken(sql, token.id, nowMs);
  const { id: credentialId, accountId, username, isStaff, scope } = token;
  return {
    caller: { by: 'token', credentialId, accountId, username, isStaff, scope },
    csrfHash: undefined,
    untilMs: token.expiresMs ?? Number.POSITIVE_INFINITY,
  };
}

async function loadSession(sql: Sql, hash: Buffer, nowMs: number): Promise<Loaded | undefined> {
  const session = await findSession(sql, hash, nowMs, nowMs - SESSION_IDLE_MS);
  if (session === undefined) return undefined;
  if (nowMs - session.lastSeenMs > TOUCH_EVERY_MS) await touchSession(sql, session.id, nowMs);
  const { id: credentialId, accountId, username, isStaff, csrfHash } = session;
  return {
    caller: { by: 'session', credentialId, accountId, username, isStaff, scope: 'admin' },
    csrfHash,
    untilMs: session.expiresMs,
  };
}

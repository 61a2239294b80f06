/** Access tokens and sessions, stored by the hashes of their secrets: creating, finding, ending them. */
import { LockMode } from '@mikro-orm/core';
import type { Scope } from '../../domain/access.ts';
import { AppError } from '../../domain/errors.ts';
import { entityManager, inEntities } from '../sql/entities.ts';
import type { Sql } from '../sql/sql.ts';
import { AccessTokenEntity, AccountEntity, LoginSessionEntity } from './table.ts';

export interface NewToken {
  readonly accountId: number;
  readonly name: string;
  readonly hash: Buffer;
  readonly scope: Scope;
  /** Null: never. */
  readonly expiresMs: number | null;
  readonly nowMs: number;
}

/** limit: live tokens of one account. */
const TOKENS_MAX = 200;

/** Resolves with its id. Throws CONFLICT when the account has too many. */
export async function createToken(sql: Sql, token: NewToken): Promise<number> {
  const { accountId, name, scope, hash, expiresMs, nowMs } = token;
  const made = await inEntities(sql, async (manager) => {
    // Locked, so that two concurrent calls cannot exceed the limit.
    await manager.findOneOrFail(AccountEntity, accountId, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const isLive = { revoked: null, $or: [{ expires: null }, { expires: { $gt: nowMs } }] };
    const count = await manager.count(AccessTokenEntity, { accountId, ...isLive });
    if (count >= TOKENS_MAX) {
      throw new AppError('CONFLICT', `the account has ${TOKENS_MAX} tokens: revoke some first`);
    }
    return manager.create(AccessTokenEntity, {
      accountId,
      name,
      scope,
      tokenHash: hash,
      expires: expiresMs,
      created: nowMs,
    });
  });
  return made.id;
}

/** Revokes the tokens of a name except the newest `count`. */
export function revokeOlderTokens(
  sql: Sql,
  accountId: number,
  name: string,
  count: number,
  nowMs: number,
): Promise<void> {
  return inEntities(sql, async (manager) => {
    const named = { accountId, name, revoked: null };
    const older = await manager.find(AccessTokenEntity, named, { orderBy: { id: 'desc' }, offset: count });
    for (const token of older) token.revoked = nowMs;
  });
}

/** `ownerId` null: the token of any account. Revoking again changes nothing. Throws NOT_FOUND. */
export function revokeToken(sql: Sql, id: number, ownerId: number | null, nowMs: number): Promise<void> {
  return inEntities(sql, async (manager) => {
    const owner = ownerId === null ? {} : { accountId: ownerId };
    const token = await manager.findOne(AccessTokenEntity, { id, ...owner });
    if (token === null) throw new AppError('NOT_FOUND', 'there is no such token');
    token.revoked ??= nowMs;
  });
}

/** Revokes the token with this hash, if there is one. */
export async function revokeShownToken(sql: Sql, hash: Buffer, nowMs: number): Promise<void> {
  await entityManager(sql).nativeUpdate(
    AccessTokenEntity,
    { tokenHash: hash, revoked: null },
    { revoked: nowMs },
  );
}

/** The token or session that a secret identifies. */
export interface Shown {
  /** The id of the token or the session. */
  readonly id: number;
  readonly accountId: number;
  readonly username: string;
  readonly isStaff: boolean;
}

export interface ShownToken extends Shown {
  readonly scope: Scope;
  readonly expiresMs: number | null;
  readonly lastUsedMs: number | null;
}

export interface ShownSession extends Shown {
  readonly csrfHash: Buffer;
  readonly expiresMs: number;
  readonly lastSeenMs: number;
}

const FIND_TOKEN = {
  name: 'find_access_token',
  isKeyed: true,
  text: /* sql */ `
    select k.id, k.account_id as "accountId", a.username, a.is_staff as "isStaff", k.scope,
      k.expires as "expiresMs", k.last_used as "lastUsedMs"
    from access_token k join account a on a.id = k.account_id
    where k.token_hash = $1 and k.revoked is null and a.is_active   -- = access_token_hash_key
      and (k.expires is null or k.expires > to_timestamp($2::float8 / 1000))`,
};

/** A valid token; undefined if it is unknown, expired or revoked, or its account is not active. */
export async function findToken(sql: Sql, hash: Buffer, nowMs: number): Promise<ShownToken | undefined> {
  const [row] = await sql.execute<ShownToken>(FIND_TOKEN, [hash, nowMs]);
  return row;
}

export async function touchToken(sql: Sql, id: number, nowMs: number): Promise<void> {
  await sql.execute('update access_token set last_used = to_timestamp($2::float8 / 1000) where id = $1', [
    id,
    nowMs,
  ]);
}

export interface NewSession {
  readonly accountId: number;
  readonly hash: Buffer;
  readonly csrfHash: Buffer;
  readonly address: string;
  readonly expiresMs: number;
  readonly nowMs: number;
}

/** limit: sessions of one account; the oldest end. */
const SESSIONS_MAX = 50;

/** False: the account is no longer active, or its password has changed since it was checked. */
export function createSession(sql: Sql, session: NewSession, passwordHash: string | null): Promise<boolean> {
  const { accountId, hash, csrfHash, address, expiresMs, nowMs } = session;
  return inEntities(sql, async (manager) => {
    // The lock makes a concurrent change of the password wait for this session, so that it ends this one as well.
    const checked = { id: accountId, isActive: true, passwordHash };
    const account = await manager.findOne(AccountEntity, checked, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (account === null) return false;
    account.lastLogin = nowMs;
    const instants = { expires: expiresMs, created: nowMs, lastSeen: nowMs };
    manager.create(LoginSessionEntity, { accountId, sessionHash: hash, csrfHash, address, ...instants });
    await manager.flush();
    const older = { orderBy: { id: 'desc' }, offset: SESSIONS_MAX } as const;
    manager.remove(await manager.find(LoginSessionEntity, { accountId }, older));
    return true;
  });
}

const FIND_SESSION = {
  name: 'find_login_session',
  isKeyed: true,
  text: /* sql */ `
    select s.id, s.account_id as "accountId", a.username, a.is_staff as "isStaff", s.csrf_hash as "csrfHash",
      s.expires as "expiresMs", s.last_seen as "lastSeenMs"
    from login_session s join account a on a.id = s.account_id
    where s.session_hash = $1 and a.is_active   -- = login_session_hash_key
      and s.expires > to_timestamp($2::float8 / 1000) and s.last_seen > to_timestamp($3::float8 / 1000)`,
};

/** A valid session: not expired, used since `seenSinceMs`, of an active account. */
export async function findSession(
  sql: Sql,
  hash: Buffer,
  nowMs: number,
  seenSinceMs: number,
): Promise<ShownSession | undefined> {
  const [row] = await sql.execute<ShownSession>(FIND_SESSION, [hash, nowMs, seenSinceMs]);
  return row;
}

const LIVE = {
  name: 'live_credentials',
  text: /* sql */ `
    select 'token ' || k.id as key from access_token k join account a on a.id = k.account_id
    where k.id = any($1::bigint[]) and k.revoked is null and a.is_active   -- = access_token_pkey
      and (k.expires is null or k.expires > to_timestamp($3::float8 / 1000))
    union all
    select 'session ' || s.id from login_session s join account a on a.id = s.account_id
    where s.id = any($2::bigint[]) and a.is_active   -- = login_session_pkey
      and s.expires > to_timestamp($3::float8 / 1000) and s.last_seen > to_timestamp($4::float8 / 1000)`,
};

/** Those of the tokens and sessions with these ids that are valid, as `token 1` and `session 1`. */
export async function liveCredentials(
  sql: Sql,
  { tokens, sessions }: { readonly tokens: readonly number[]; readonly sessions: readonly number[] },
  nowMs: number,
  seenSinceMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await sql.execute<{ key: string }>(LIVE, [tokens, sessions, nowMs, seenSinceMs]);
  return new Set(rows.map(({ key }) => key));
}

export async function touchSession(sql: Sql, id: number, nowMs: number): Promise<void> {
  await sql.execute('update login_session set last_seen = to_timestamp($2::float8 / 1000) where id = $1', [
    id,
    nowMs,
  ]);
}

export async function endSession(sql: Sql, hash: Buffer): Promise<void> {
  await entityManager(sql).nativeDelete(LoginSessionEntity, { sessionHash: hash });
}

/** limit: rows that one call removes. */
const ENDED_MAX = 1_000;
/** How long an expired or revoked token is still listed. */
const ENDED_TOKEN_MS = 30 * 86_400_000;

const OLD = `to_timestamp($1::float8 / 1000)`;
const removal = (table: string, condition: string) => /* sql */ `
  delete from ${table} where id in (select id from ${table} where ${condition} limit ${ENDED_MAX}) returning id`;
const REMOVE_SESSIONS = removal('login_session', `expires < ${OLD}`); // = login_session_expires_idx
const REMOVE_REVOKED = removal('access_token', `revoked < ${OLD}`); // = access_token_revoked_idx
const REMOVE_EXPIRED = removal('access_token', `expires < ${OLD}`); // = access_token_expires_idx

/** Removes expired sessions, and tokens that ended a month ago. True: there may be more. */
export async function removeEndedCredentials(sql: Sql, nowMs: number): Promise<boolean> {
  const tokensMs = nowMs - ENDED_TOKEN_MS;
  const counts = [
    (await sql.execute(REMOVE_SESSIONS, [nowMs])).length,
    (await sql.execute(REMOVE_REVOKED, [tokensMs])).length,
    (await sql.execute(REMOVE_EXPIRED, [tokensMs])).length,
  ];
  return counts.includes(ENDED_MAX);
}

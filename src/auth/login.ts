/**
 * Logging in and out, tokens for programs, and the first account. Plain functions with explicit dependencies, used by
 * the interface, the pages and the public system's addresses.
 */
import type { Scope } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { Secret } from '../lib/secret.ts';
import {
  createSession,
  createToken,
  endSession,
  revokeOlderTokens,
  revokeShownToken,
} from '../store/account/access-tokens.ts';
import { findLogin, type LoginAccount } from '../store/account/list.ts';
import { createFirstAccount } from '../store/account/save.ts';
import type { Sql } from '../store/sql/sql.ts';
import type { AuditTrail } from './audit-trail.ts';
import { type Credentials, hashOf, newToken, randomSecret, tokenIn } from './credentials.ts';
import type { Passwords } from './passwords.ts';
import type { LoginLimit } from './rate-limits.ts';
import type { LoginFrom, PasswordLogin, Session } from './session.ts';

export interface LoginParts {
  readonly sql: Sql;
  readonly passwords: Passwords;
  readonly credentials: Credentials;
  readonly logins: LoginLimit;
  /** Limits wrong codes, by account id. */
  readonly codes: LoginLimit;
  readonly trail: AuditTrail;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const SESSION_MS = 14 * 86_400_000;
/** The tokens of programs that log in with a password. */
const LOGIN_TOKEN = { name: 'login', scope: 'write', expiresMs: 30 * 86_400_000, keptCount: 20 } as const;
const FIRST_USERNAME = 'admin';

/** Throws UNAUTHENTICATED, TOO_MANY_REQUESTS, OVERLOADED. */
export async function logIn(parts: LoginParts, login: PasswordLogin, from: LoginFrom): Promise<Session> {
  const account = await checkPassword(parts, login, from);
  const session = await beginSession(parts, account, from);
  if (session === undefined) throw wrongPassword();
  return session;
}

/** A session for an authenticated account. Undefined: it was deactivated, or its password has changed. */
export async function beginSession(
  { sql }: Pick<LoginParts, 'sql'>,
  account: Pick<LoginAccount, 'id' | 'username' | 'passwordHash'>,
  { address, nowMs }: Pick<LoginFrom, 'address' | 'nowMs'>,
): Promise<Session | undefined> {
  const tokens = { session: randomSecret(), csrf: randomSecret() };
  const isBegun = await createSession(
    sql,
    {
      ...{ accountId: account.id, address, nowMs, expiresMs: nowMs + SESSION_MS },
      ...{ hash: hashOf(tokens.session), csrfHash: hashOf(tokens.csrf) },
    },
    account.passwordHash,
  );
  if (!isBegun) return undefined;
  return { ...tokens, accountId: account.id, username: account.username, maxAgeS: SESSION_MS / 1_000 };
}

/**
 * Ends the session of a cookie, and revokes the token of an `Authorization` header, where there are such. Each that was
 * valid has a row in the audit, saved first. Throws STORE_UNAVAILABLE or QUERY_TOO_SLOW: nothing has ended.
 */
export async function logOut(
  { sql, credentials, trail }: Pick<LoginParts, 'sql' | 'credentials' | 'trail'>,
  {
    cookie = '',
    authorization = '',
  }: { readonly cookie: string | undefined; readonly authorization: string | undefined },
  { address, requestId, method, route, nowMs }: LoginFrom,
): Promise<void> {
  const token = tokenIn(authorization);
  const found = await Promise.all([credentials.bySession(cookie, nowMs), credentials.byToken(token, nowMs)]);
  const rows = await Promise.all(
    found.flatMap((known) => {
      if (known === undefined) return [];
      const { by: knownBy, accountId, username, credentialId } = known.caller;
      const who = { accountId, username, knownBy, tokenId: knownBy === 'token' ? credentialId : null };
      return [trail.begin({ ...who, atMs: nowMs, address, requestId, method, route, path: route })];
    }),
  );
  if (cookie !== '') await endSession(sql, hashOf(cookie));
  if (token !== '') await revokeShownToken(sql, hashOf(token), nowMs);
  if (cookie !== '' || token !== '') credentials.forget();
  for (const id of rows) trail.finish({ id, status: 204, recordId: null });
}

/** A token for a name and a password. The account's newest tokens of this kind are kept. Throws as `logIn`. */
export async function logInForToken(
  parts: LoginParts,
  login: PasswordLogin,
  from: LoginFrom,
): Promise<string> {
  const account = await checkPassword(parts, login, from);
  const { name, scope, expiresMs, keptCount } = LOGIN_TOKEN;
  const { nowMs } = from;
  await revokeOlderTokens(parts.sql, account.id, name, keptCount - 1, nowMs);
  const request = { accountId: account.id, name, scope, expiresMs: nowMs + expiresMs };
  return (await issueToken(parts.sql, request, nowMs)).token;
}

/** Creates a token, which is shown only here. Throws CONFLICT if the account has too many. */
export async function issueToken(
  sql: Sql,
  request: {
    readonly accountId: number;
    readonly name: string;
    readonly scope: Scope;
    readonly expiresMs: number | null;
  },
  nowMs: number,
): Promise<{ readonly id: number; readonly token: string }> {
  const token = newToken();
  const id = await createToken(sql, { ...request, hash: hashOf(token), nowMs });
  return { id, token };
}

/**
 * The account, if the password is correct. Unknown and inactive accounts are refused with the same message and after
 * the same work as a wrong password. Attempts for known accounts are in the audit.
 */
export async function checkPassword(
  parts: LoginParts,
  { username, password }: PasswordLogin,
  from: LoginFrom,
): Promise<LoginAccount> {
  const { sql, passwords, logins, log } = parts;
  const { address, nowMs } = from;
  requireLoginTry(logins, username, address, nowMs);
  const account = await findLogin(sql, username);
  // Concurrently, so that the time does not reveal whether the account exists.
  const [checked, row] = await Promise.allSettled([
    passwords.matches(password, account?.passwordHash ?? null),
    account === undefined ? undefined : beginLoginRow(parts.trail, account, from),
  ]);
  if (row.status === 'rejected') throw row.reason;
  const isIn = checked.status === 'fulfilled' && checked.value && account?.isActive === true;
  const status = checked.status === 'rejected' ? 503 : isIn ? 200 : 401;
  if (row.value !== undefined) parts.trail.finish({ id: row.value, status, recordId: null });
  if (checked.status === 'rejected') throw checked.reason;
  if (!isIn) {
    log.warn('login_failed', { address, accountId: account?.id });
    throw wrongPassword();
  }
  logins.succeeded(username, address);
  return account;
}

/** Counts an attempt, which `succeeded` takes back. Throws TOO_MANY_REQUESTS if it comes too early. */
export function requireLoginTry(logins: LoginLimit, username: string, address: string, nowMs: number): void {
  const retryAfterS = logins.waitS(username, address, nowMs);
  if (retryAfterS !== undefined) {
    const reason = 'too many logins have failed; try again later';
    throw new AppError('TOO_MANY_REQUESTS', reason, { retryAfterS });
  }
  logins.tried(username, address, nowMs);
}

function wrongPassword(): AppError {
  return new AppError('UNAUTHENTICATED', 'Unable to log in with provided credentials.');
}

/** Records a login of a known account in the audit. */
export async function recordLogin(
  trail: AuditTrail,
  account: LoginAccount,
  from: LoginFrom,
  status: number,
): Promise<void> {
  trail.finish({ id: await beginLoginRow(trail, account, from), status, recordId: null });
}

/** Resolves with the id of the row, which has no status yet. */
function beginLoginRow(
  trail: AuditTrail,
  { id: accountId, username }: LoginAccount,
  { address, requestId, method, route, nowMs }: LoginFrom,
): Promise<number> {
  const who = { accountId, username, knownBy: 'none', tokenId: null } as const;
  return trail.begin({ ...who, atMs: nowMs, address, requestId, method, route, path: route });
}

export interface FirstPassword {
  /** The password in the settings, if any. */
  readonly given: Secret | undefined;
  /** The generated password, used if none is given. */
  readonly made: Secret;
  /** An earlier attempt may have succeeded although its answer was lost. */
  readonly isAgain: boolean;
}

export function madePassword(): Secret {
  return new Secret(randomSecret().slice(0, 24));
}

/**
 * Creates the administrator if there are no accounts at all. If several coordinators start at once, one does. Resolves
 * with the password if it was generated here: it is shown once, and stored nowhere.
 */
export async function ensureFirstAccount(
  { sql, passwords }: Pick<LoginParts, 'sql' | 'passwords'>,
  { given, made, isAgain }: FirstPassword,
  nowMs: number,
): Promise<Secret | undefined> {
  const [known] = await sql.execute<{ password_hash: string | null }>(
    'select password_hash from account order by id limit 1',
  );
  if (known !== undefined) {
    const isOurs =
      isAgain && given === undefined && (await passwords.matches(made.reveal(), known.password_hash));
    return isOurs ? made : undefined;
  }
  const password = given ?? made;
  const id = await createFirstAccount(sql, {
    ...{ username: FIRST_USERNAME, firstName: 'Admin', lastName: 'User', email: '' },
    ...{ isStaff: true, isActive: true, nowMs },
    passwordHash: await passwords.hash(password.reveal()),
  });
  return id === undefined || given !== undefined ? undefined : password;
}

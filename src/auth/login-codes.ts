/**
 * Logging in by a code (RFC 8628): a program shows a code, a person types it on our page and approves it there with a
 * session, and the program gets an access token of that person.
 */
import { randomInt } from 'node:crypto';
import type { Caller, Scope } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { holderOf } from '../lib/addresses.ts';
import { findLoginById } from '../store/account/list.ts';
import {
  createLoginCode,
  decideLoginCode,
  findLoginCode,
  type PendingLoginCode,
  pollLoginCode,
} from '../store/account/login-codes.ts';
import { hashOf, randomSecret } from './credentials.ts';
import { issueToken, type LoginParts, recordLogin } from './login.ts';
import type { LoginFrom } from './session.ts';

/** No vowels, so that a code never spells a word: 20 letters, 34 bits in a code (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LETTERS = 8;
export const CODE_LIFETIME_S = 600;
/** Seconds between two polls. */
export const POLL_INTERVAL_S = 5;
const DAY_MS = 86_400_000;
const TOKEN_NAME = 'millrace login';
/** Attempts to generate a code that no other live login has; there are 20^8 codes. */
const TRIES = 3;

type CodeParts = Pick<LoginParts, 'sql' | 'codes' | 'trail' | 'log'>;

export interface LoginCode {
  /** The program's secret. */
  readonly deviceCode: string;
  /** Eight letters, as two groups of four. */
  readonly userCode: string;
}

function newUserCode(): string {
  return Array.from({ length: CODE_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** The stored form of a typed code, which may have small letters, blanks and hyphens. */
function lettersOf(typed: string): string {
  return typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
}

/** Throws TOO_MANY_REQUESTS. */
export async function beginLoginCode(
  { sql }: Pick<CodeParts, 'sql'>,
  asked: { readonly scope: Scope; readonly days: number },
  { address, nowMs }: Pick<LoginFrom, 'address' | 'nowMs'>,
): Promise<LoginCode> {
  const deviceCode = randomSecret();
  for (let tries = 0; tries < TRIES; tries++) {
    const userCode = newUserCode();
    const outcome = await createLoginCode(sql, {
      ...{ ...asked, deviceHash: hashOf(deviceCode), userCode, address, addressHolder: holderOf(address) },
      ...{ pollInterval: POLL_INTERVAL_S, nowMs, expiresMs: nowMs + CODE_LIFETIME_S * 1_000 },
    });
    if (outcome === 'created') {
      return { deviceCode, userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}` };
    }
    if (outcome === 'too many') break;
  }
  throw new AppError('TOO_MANY_REQUESTS', 'too many logins wait for their approval; try again later', {
    retryAfterS: 60,
  });
}

/** The request of the login with this code. Throws NOT_FOUND, TOO_MANY_REQUESTS, FORBIDDEN. */
export async function readLoginCode(
  parts: CodeParts,
  typed: string,
  who: { readonly caller: Caller; readonly address: string; readonly nowMs: number },
): Promise<PendingLoginCode> {
  const found = await countingGuess(parts, who, () => findLoginCode(parts.sql, lettersOf(typed), who.nowMs));
  if (found === undefined) throw unknownCode();
  return found;
}

/** Approves or denies the login; the first decision is final. Throws NOT_FOUND, TOO_MANY_REQUESTS, FORBIDDEN. */
export async function decideOnLoginCode(
  parts: CodeParts,
  { typed, isApproved }: { readonly typed: string; readonly isApproved: boolean },
  who: { readonly caller: Caller; readonly address: string; readonly nowMs: number },
): Promise<void> {
  const isDone = await countingGuess(parts, who, async (accountId) => {
    const decision = { userCode: lettersOf(typed), accountId, isApproved };
    return (await decideLoginCode(parts.sql, decision, who.nowMs)) || undefined;
  });
  if (isDone === undefined) throw unknownCode();
}

/**
 * Counts the attempt as a wrong code before it is looked up, and takes that back if it is right, so that concurrent
 * guesses all count. A right code does not clear the wrong ones before it: anybody can begin a login and enter its
 * code.
 */
async function countingGuess<T>(
  { codes }: CodeParts,
  { caller, address, nowMs }: { readonly caller: Caller; readonly address: string; readonly nowMs: number },
  find: (accountId: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { accountId } = caller;
  if (caller.by !== 'session' || accountId === null) {
    throw new AppError('FORBIDDEN', 'only a browser session can approve or deny a code: log in at /login/');
  }
  const retryAfterS = codes.waitS(`${accountId}`, address, nowMs);
  if (retryAfterS !== undefined) {
    throw new AppError('TOO_MANY_REQUESTS', 'too many wrong codes; try again later', { retryAfterS });
  }
  const takeBack = codes.tried(`${accountId}`, address, nowMs);
  const found = await find(accountId);
  if (found !== undefined) takeBack();
  return found;
}

function unknownCode(): AppError {
  return new AppError('NOT_FOUND', 'no login waits under this code: it is wrong, has expired, or was used');
}

export interface CodeToken {
  readonly id: number;
  readonly token: string;
}

/**
 * The token, once the request is approved. Throws LOGIN_PENDING, LOGIN_SLOW_DOWN, LOGIN_DENIED, LOGIN_EXPIRED, and
 * CONFLICT if the account has too many tokens.
 */
export async function takeCodeToken(
  { sql, trail, log }: CodeParts,
  deviceCode: string,
  from: LoginFrom,
): Promise<CodeToken> {
  const { nowMs, address } = from;
  const poll = await pollLoginCode(sql, hashOf(deviceCode), nowMs, async (tx, { accountId, scope, days }) => {
    const account = await findLoginById(tx, accountId);
    if (account?.isActive !== true) return undefined;
    const request = { accountId, name: TOKEN_NAME, scope, expiresMs: nowMs + days * DAY_MS };
    return { account, ...(await issueToken(tx, request, nowMs)) };
  });
  switch (poll.state) {
    case 'pending':
      throw new AppError('LOGIN_PENDING', 'nobody has approved the login yet');
    case 'early':
      throw new AppError('LOGIN_SLOW_DOWN', 'polled too often: wait five seconds longer between polls');
    case 'denied':
      throw new AppError('LOGIN_DENIED', 'the login was denied');
    case 'unknown':
      throw new AppError('LOGIN_EXPIRED', 'the login has expired, or was used: begin another');
    case 'approved': {
      const { issued } = poll;
      if (issued === undefined) throw new AppError('LOGIN_DENIED', 'the account is not active any more');
      await recordLogin(trail, issued.account, from, 200);
      log.info('login_code_approved', { address, accountId: issued.account.id });
      return { id: issued.id, token: issued.token };
    }
  }
}

/** The filter in front of the routes: rate limits, credentials, permission, and the audit. */
import { type Access, ANYBODY, type Caller, NOBODY, refusalOf } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import type { AuthFilter, FilteredRoute } from '../http/auth-filter.ts';
import type { RequestHead } from '../http/exchange.ts';
import { CSRF_HEADER, readCookie, SESSION_COOKIE } from '../http/request/cookies.ts';
import { holderOf, isLoopbackAddress } from '../lib/addresses.ts';
import type { AuditTrail } from './audit-trail.ts';
import { type Credentials, isSameSecret, type Known, tokenIn } from './credentials.ts';
import type { Proxies } from './proxies.ts';
import type { RequestLimit } from './rate-limits.ts';

export interface AuthFilterParts {
  /** False: callers without credentials may do everything. */
  readonly isAuthOn: boolean;
  /** Access levels of routes that check a token of their own. */
  readonly ownTokens: ReadonlySet<Access>;
  readonly credentials: Credentials;
  readonly trail: AuditTrail;
  readonly requests: RequestLimit;
  readonly proxies: Proxies;
}

const MISSING =
  'Authentication credentials were not provided. Log in at /login/ or with POST /v6/login/, or send a token as ' +
  '`Authorization: Bearer <token>`; POST /v6/tokens/ makes one, and `millrace token create <account>` on a host.';
const INVALID = 'Invalid token.';
const FORBIDDEN = 'You do not have permission to perform this action.';
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export function createAuthFilter(parts: AuthFilterParts): AuthFilter {
  const { isAuthOn, trail, requests, proxies } = parts;
  const isOpen = ({ access }: FilteredRoute): boolean => access === 'open' || parts.ownTokens.has(access);
  const limit = (key: string, nowMs: number): void => {
    const retryAfterS = requests.take(key, nowMs);
    if (retryAfterS === undefined) return;
    throw new AppError('TOO_MANY_REQUESTS', 'too many requests; try again later', { retryAfterS });
  };
  // Without authentication, callers on this machine are not limited.
  const limitKeyOf = (address: string): string | undefined =>
    isAuthOn || !isLoopbackAddress(address) ? `address ${holderOf(address)}` : undefined;
  /** Cached, because most requests come from the same address as the one before (a proxy or a program). */
  let latest: { readonly address: string; readonly limitKey: string | undefined } = {
    address: '',
    limitKey: limitKeyOf(''),
  };
  const requirePermission = (caller: Caller, { access }: FilteredRoute): void => {
    const refusal = refusalOf(caller, access);
    if (refusal !== undefined)
      throw new AppError(refusal, refusal === 'UNAUTHENTICATED' ? MISSING : FORBIDDEN);
  };
  const permitted = (caller: Caller, route: FilteredRoute, nowMs: number): Caller => {
    if (caller.accountId !== null) limit(`account ${caller.accountId}`, nowMs);
    requirePermission(caller, route);
    return caller;
  };
  return {
    originOf: (head) => proxies.originOf(head.address, head.headers),
    admit(head, route, { address }, nowMs) {
      if (address !== latest.address) latest = { address, limitKey: limitKeyOf(address) };
      if (latest.limitKey !== undefined) limit(latest.limitKey, nowMs);
      // Before the body is read.
      if (isAuthOn && !isOpen(route) && !showsAnything(head)) throw new AppError('UNAUTHENTICATED', MISSING);
    },
    check(head, route, _origin, nowMs) {
      if (isOpen(route)) return;
      const caller = callerOf(parts, head, nowMs);
      if (caller instanceof Promise) return caller.then((known) => requirePermission(known, route));
      requirePermission(caller, route);
    },
    identify(head, route, _origin, nowMs) {
      if (isOpen(route)) return NOBODY;
      const caller = callerOf(parts, head, nowMs);
      if (!(caller instanceof Promise)) return permitted(caller, route, nowMs);
      return caller.then((known) => permitted(known, route, nowMs));
    },
    async begin(head, route, { address }, caller, nowMs) {
      const id = await trail.begin({
        atMs: nowMs,
        accountId: caller.accountId,
        username: caller.username,
        knownBy: caller.by,
        tokenId: caller.by === 'token' ? caller.credentialId : null,
        address,
        requestId: head.id,
        method: route.method,
        route: route.path,
        path: head.path,
      });
      return ({ status, recordId }) => trail.finish({ id, status, recordId });
    },
  };
}

function showsAnything({ headers }: RequestHead): boolean {
  return headers.has('authorization') || readCookie(headers, SESSION_COOKIE) !== undefined;
}

/**
 * Throws or rejects: UNAUTHENTICATED for an invalid token, FORBIDDEN for a write from a foreign page. Returns a promise
 * only if rows are read.
 */
function callerOf(
  { credentials, isAuthOn }: AuthFilterParts,
  { headers, method }: RequestHead,
  nowMs: number,
): Caller | Promise<Caller> {
  const authorization = headers.get('authorization');
  if (authorization !== undefined) {
    const known = credentials.byToken(tokenIn(authorization), nowMs);
    return known instanceof Promise ? known.then(callerOfToken) : callerOfToken(known);
  }
  // A session that has ended counts as absent, because browsers keep sending its cookie.
  const callerOfSession = (session: Known | undefined): Caller => {
    if (session === undefined) return isAuthOn ? NOBODY : ANYBODY;
    if (!SAFE_METHODS.has(method)) requireCsrf(headers, session.csrfHash);
    return session.caller;
  };
  const cookie = readCookie(headers, SESSION_COOKIE);
  const session = cookie === undefined ? undefined : credentials.bySession(cookie, nowMs);
  return session instanceof Promise ? session.then(callerOfSession) : callerOfSession(session);
}

function callerOfToken(known: Known | undefined): Caller {
  if (known === undefined) throw new AppError('UNAUTHENTICATED', INVALID);
  return known.caller;
}

/** Browsers send cookies with requests of any page, but only our own pages can read the CSRF token. */
function requireCsrf(headers: ReadonlyMap<string, string>, hash: Buffer | undefined): void {
  if (hash !== undefined && isSameSecret(headers.get(CSRF_HEADER) ?? '', hash)) return;
  throw new AppError('FORBIDDEN', `CSRF Failed: the header ${CSRF_HEADER} must repeat the cookie csrftoken`);
}

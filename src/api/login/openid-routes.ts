/**
 * `/v6/login/openid/`: sends browsers to the OpenID provider, and receives them back with a proof of their identity.
 */
import { readCookie } from '../../http/request/cookies.ts';
import { text } from '../../http/request/parameters.ts';
import { defineRoute, type RouteRequest, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';
import { cookiesOf, isSecure } from './routes.ts';

export const PATH = '/v6/login/openid/';
const CALLBACK = '/v6/login/openid/callback/';
const ATTEMPT_COOKIE = 'millrace_openid';

/** `Lax`, because it must be sent when the provider redirects the browser back to where the login began. */
function attemptCookie(value: string, maxAgeS: number, request: RouteRequest): string {
  const path = new URL(`${request.base}${PATH}`).pathname;
  const attributes = `Path=${path}; Max-Age=${maxAgeS}; SameSite=Lax; HttpOnly`;
  return `${ATTEMPT_COOKIE}=${value}; ${attributes}${isSecure(request) ? '; Secure' : ''}`;
}

/** The path to continue at. Only paths of this service are used, because anybody may create a link to the login. */
export function localPath(wanted: string | undefined): string {
  const isPath = wanted !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wanted);
  return isPath && wanted.length <= 1_000 ? wanted : '/';
}

/** The address that begins a login, which then continues at `next`. `under`: a prefix before the path. */
export function openIdHref(next: string, under = ''): string {
  return `${under}${PATH}?${new URLSearchParams({ next })}`;
}

const begin = defineRoute({
  method: 'GET',
  path: PATH,
  summary: 'Log in by the OpenID provider',
  description:
    'Sends the browser to the provider that MILLRACE_OIDC_ISSUER names, which sends it back to the callback. 404 if ' +
    'no provider is set up.',
  access: 'open',
  query: { next: text('The path to continue to; `/` when it is not one of this service.') },
  replies: { 302: NO_BODY },
  async handle({ query, request }, { openId }: Parts<'openId'>) {
    const { location, attempt, maxAgeS } = await openId.begin({
      redirectUri: `${request.base}${CALLBACK}`,
      next: localPath(query.next),
      nowMs: request.nowMs,
    });
    const answer = reply(302, undefined, { location, 'cache-control': 'no-store' });
    return { ...answer, cookies: [attemptCookie(attempt, maxAgeS, request)] };
  },
});

const finish = defineRoute({
  method: 'GET',
  path: CALLBACK,
  summary: 'Where the OpenID provider sends browsers back to',
  description:
    'Begins a session as `POST /v6/login/` does. The first login creates the account, whose name is the claim ' +
    '`preferred_username`.',
  access: 'open',
  takesAnyQuery: true,
  query: { code: text('From the provider, which may add other parameters.') },
  replies: { 302: NO_BODY },
  async handle({ request }, { openId }: Parts<'openId'>) {
    const { id: requestId, address, nowMs, headers, base } = request;
    const url = `${base}${CALLBACK}?${request.rawQuery}`;
    const from = { address, requestId, nowMs, method: 'GET', route: CALLBACK };
    const attempt = readCookie(headers, ATTEMPT_COOKIE);
    const { session, next } = await openId.finish({ url, attempt }, from);
    const location = `${new URL(base).origin}${next}`;
    const answer = reply(302, undefined, { location, 'cache-control': 'no-store' });
    return { ...answer, cookies: [...cookiesOf(session, request), attemptCookie('', 0, request)] };
  },
});

export const openIdRoutes = [begin, finish];

/**
 * Logins of clients of the public system: the address that a UI is configured with (a page for browsers, JSON for
 * scripts of the UI), and the one that gives scripts a token for a name and a password.
 */
import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { logIn, logInForToken } from '../../auth/login.ts';
import type { LoginFrom } from '../../auth/session.ts';
import { AppError } from '../../domain/errors.ts';
import { CSRF_COOKIE, readCookie } from '../../http/request/cookies.ts';
import { text } from '../../http/request/parameters.ts';
import { defineRoute, type Route, type RouteRequest, reply } from '../../http/route.ts';
import { NO_BODY, textReply } from '../../http/schema.ts';
import { openIdHref } from '../login/openid-routes.ts';
import { cookiesOf, isSecure } from '../login/routes.ts';
import type { Parts } from '../parts.ts';
import { formReader, isForm } from './forms.ts';
import { clientLoginPage } from './login-page.ts';
import { PREFIX } from './prefix.ts';

export const LOGIN_PATH = `${PREFIX}/login/`;
/** Different scripts use different ones. */
export const TOKEN_PATHS = ['/api-token-auth/', '/api/api-token-auth/', '/api/v6/api-token-auth/'];

const CSRF_BYTES = 32;
const Html = textReply('text/html; charset=utf-8');
const LoggedIn = Type.Object({ username: Type.String() });
const NameAndPassword = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 150 }),
  password: Type.String({ minLength: 1, maxLength: 1_000 }),
});

function fromOf(request: RouteRequest, route: string): LoginFrom {
  const { id: requestId, address, nowMs } = request;
  return { requestId, address, nowMs, method: 'POST', route };
}

/**
 * The address to continue at. Only addresses of this service are used, because anybody may create a link to the page.
 */
export function nextOf(wanted: string | undefined, base: string): string {
  if (wanted === undefined || !URL.canParse(wanted, base)) return '/';
  const next = new URL(wanted, base);
  // The scheme may be that of a proxy.
  const isOurs = next.host === new URL(base).host && /^https?:$/.test(next.protocol);
  return isOurs ? next.href : '/';
}

/** The link to the provider's login. It is below our prefix, since a proxy may pass no other path of the service. */
function openIdLink(next: string | undefined, base: string, { openId }: Parts<'openId'>): string | undefined {
  if (!openId.isSetUp) return undefined;
  const { pathname, search, hash } = new URL(nextOf(next, base), base);
  return openIdHref(`${pathname}${search}${hash}`, PREFIX);
}

const page = defineRoute({
  method: 'GET',
  path: LOGIN_PATH,
  summary: 'A page to log in',
  access: 'open',
  query: { next: text('Where to continue after the login; only addresses of this service.') },
  replies: { 200: Html },
  handle({ query, request }, deps: Parts<'openId'>) {
    const href = openIdLink(query.next, request.base, deps);
    const { html, headers } = clientLoginPage({ openIdHref: href });
    const answer = reply(200, html, headers);
    // The cookie belongs to a session, and stays.
    if (readCookie(request.headers, CSRF_COOKIE) !== undefined) return answer;
    const token = randomBytes(CSRF_BYTES).toString('base64url');
    const attributes = `Path=/; SameSite=Lax${isSecure(request) ? '; Secure' : ''}`;
    return { ...answer, cookies: [`${CSRF_COOKIE}=${token}; ${attributes}`] };
  },
});

const submit = defineRoute({
  method: 'POST',
  path: LOGIN_PATH,
  summary: 'Log in with a password',
  repeats: { reason: 'a repeat begins another session; an account has at most fifty, and the oldest ends' },
  access: 'open',
  query: { next: text('Where a form continues after the login; only addresses of this service.') },
  body: NameAndPassword,
  replies: { 200: LoggedIn, 302: NO_BODY, 401: Html, 429: Html },
  async handle({ body, query, request }, deps: Parts<'logins' | 'openId'>) {
    const isPage = isForm(request.headers);
    try {
      const session = await logIn(deps.logins, body, fromOf(request, LOGIN_PATH));
      const cookies = cookiesOf(session, request);
      if (!isPage) return { ...reply(200, { username: session.username }), cookies };
      return { ...reply(302, undefined, { location: nextOf(query.next, request.base) }), cookies };
    } catch (error) {
      if (!isPage || !(error instanceof AppError)) throw error;
      if (error.status !== 401 && error.status !== 429) throw error;
      const { html, headers } = clientLoginPage({
        message: error.message,
        openIdHref: openIdLink(query.next, request.base, deps),
      });
      return reply(error.status, html, headers);
    }
  },
});

function tokenRoute(path: string): Route<Parts<'logins'>> {
  return defineRoute({
    method: 'POST',
    path,
    summary: 'A token for a name and a password',
    repeats: { reason: 'a repeat gives another token, and older tokens of this kind end' },
    access: 'open',
    body: NameAndPassword,
    replies: { 200: Type.Object({ token: Type.String() }) },
    async handle({ body, request }, { logins }: Parts<'logins'>) {
      return reply(200, { token: await logInForToken(logins, body, fromOf(request, path)) });
    },
  });
}

export const loginRoutes: readonly Route<Parts<'logins' | 'openId'>>[] = [
  page,
  ...[submit, ...TOKEN_PATHS.map(tokenRoute)].map((route) => ({ ...route, reader: formReader })),
];

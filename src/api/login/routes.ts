/** `/v6/login/`, `/v6/logout/`: sessions of browsers. Programs use tokens. */
import { Type } from '@sinclair/typebox';
import { logIn, logOut } from '../../auth/login.ts';
import type { Session } from '../../auth/session.ts';
import { clearedCookies, readCookie, SESSION_COOKIE, sessionCookies } from '../../http/request/cookies.ts';
import { defineRoute, type RouteRequest, reply } from '../../http/route.ts';
import { id, NO_BODY, named } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';

const LoginBody = named(
  'Login',
  Type.Object({
    username: Type.String({ minLength: 1, maxLength: 150 }),
    password: Type.String({ minLength: 1, maxLength: 1_000 }),
  }),
);

const LoggedIn = named('LoggedIn', Type.Object({ account_id: id(), username: Type.String() }));

/** Whether cookies may be sent over TLS only. */
export function isSecure({ base }: Pick<RouteRequest, 'base'>): boolean {
  return base.startsWith('https:');
}

/** `set-cookie` values of a session. */
export function cookiesOf(session: Session, request: Pick<RouteRequest, 'base'>): readonly string[] {
  return sessionCookies(session, { isSecure: isSecure(request), maxAgeS: session.maxAgeS });
}

const begin = defineRoute({
  method: 'POST',
  path: '/v6/login/',
  summary: 'Log in with a password',
  repeats: {
    reason: 'a repeat begins another session; an account has at most fifty, and the oldest ends',
  },
  description:
    'Sets the cookie `millrace_session`, which the browser sends with each request, and `csrftoken`, which scripts ' +
    'repeat in the header `X-CSRFToken` of every request that is not a GET. After some failures each further try has ' +
    'to wait longer (429).',
  access: 'open',
  body: LoginBody,
  replies: { 200: LoggedIn },
  async handle({ body, request }, { logins }: Parts<'logins'>) {
    const { id: requestId, address, nowMs } = request;
    const from = { address, requestId, nowMs, method: 'POST', route: '/v6/login/' };
    const session = await logIn(logins, body, from);
    const answer = reply(200, { account_id: session.accountId, username: session.username });
    return { ...answer, cookies: cookiesOf(session, request) };
  },
});

const end = defineRoute({
  method: 'POST',
  path: '/v6/logout/',
  summary: 'End the session of the cookie, or revoke the token',
  repeats: {
    reason: 'a session ends once, and a token is revoked once',
  },
  description:
    'Ends the session of the cookie. A token that is sent is revoked, whatever its scope. Does nothing without these.',
  access: 'open',
  replies: { 204: NO_BODY },
  async handle({ request }, { logins }: Parts<'logins'>) {
    const cookie = readCookie(request.headers, SESSION_COOKIE);
    const authorization = request.headers.get('authorization');
    const { id: requestId, address, nowMs } = request;
    const from = { address, requestId, nowMs, method: 'POST', route: '/v6/logout/' };
    await logOut(logins, { cookie, authorization }, from);
    return { ...reply(204), cookies: clearedCookies(isSecure(request)) };
  },
});

export const loginRoutes = [begin, end];

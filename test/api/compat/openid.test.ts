/** Logging in by an OpenID provider, where clients of the public system are sent to. */

import type { Test } from 'tap';
import t from 'tap';
import { LOGIN_PATH } from '../../../src/api/compat/login-routes.ts';
import { serviceRoutes } from '../../../src/api/service.ts';
import { openIdApp } from '../../../src/auth/openid-login.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { CLIENT, startProvider } from '../../support/openid-provider.ts';
import { accessWorldOf } from '../../support/worlds/access-world.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';

const PAGE = 'http://localhost:8080/processing/jobs?a=1&b=2#c';

async function world(t: Test) {
  const provider = await startProvider(t);
  const openId = {
    ...{ issuer: provider.issuer, clientId: CLIENT.id, scopes: 'openid profile email' },
    clientSecret: new Secret(CLIENT.secret),
  };
  const access = await accessWorldOf(t, {}, serviceRoutes('1.0.0'), ({ logins }) => {
    const deps = { logins };
    // What is called here needs no more.
    return {
      ...deps,
      openId: openIdApp({ logins, encryption: encryptionOf(Buffer.alloc(32, 1)), openId }),
    } as never;
  });
  return { provider, access };
}

/** Where the link of the page leads. */
function linkOf(text: string): string {
  const [, href = ''] = /<a href="([^"]+)">/.exec(text) ?? [];
  return href.replaceAll('&#38;', '&');
}

/** A browser's jar: it sends a cookie along where its path says so. */
function cookiesFor(path: string, cookies: readonly string[]): string {
  const fitting = cookies.filter((cookie) => path.startsWith(/Path=([^;]+)/.exec(cookie)?.[1] ?? '/'));
  return fitting.map((cookie) => cookie.slice(0, cookie.indexOf(';'))).join('; ');
}

t.test('clients: the login page leads to the OpenID provider, and back to where it came from', async (t) => {
  const { provider, access } = await world(t);
  provider.people.u1 = { preferred_username: 'alice' };
  const page = await access.get(`${LOGIN_PATH}?next=${encodeURIComponent(PAGE)}`);
  const link = linkOf(page.text);
  t.match(link, /^\/api\/v6\/login\/openid\/\?next=/, 'below the prefix: a proxy in front knows no other');
  const begun = await access.get(link);
  t.equal(begun.status, 302, begun.text);
  const back = new URL(await provider.logIn(begun.headers.get('location') ?? '', 'u1'));
  t.equal(back.pathname, '/api/v6/login/openid/callback/');
  const cookie = cookiesFor(back.pathname, begun.cookies);
  const ended = await access.get(`${back.pathname}${back.search}`, { cookie });
  t.equal(ended.status, 302, ended.text);
  t.equal(ended.headers.get('location'), PAGE);
  const profilePath = '/api/v6/accounts/profile/';
  const profile = await access.get(profilePath, { cookie: cookiesFor(profilePath, ended.cookies) });
  t.match(profile.json, { username: 'alice' });
});

t.test('clients: the link is kept after a wrong password, and leads nowhere else', async (t) => {
  const { access } = await world(t);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const target = `${LOGIN_PATH}?next=${encodeURIComponent(PAGE)}`;
  const wrong = await access.call('POST', target, 'username=a&password=b', form);
  t.equal(wrong.status, 401);
  t.equal(linkOf(wrong.text), linkOf((await access.get(target)).text));
  for (const next of ['http://evil.example/', '//evil.example', 'javascript:alert(1)', '"><script>']) {
    const { text } = await access.get(`${LOGIN_PATH}?next=${encodeURIComponent(next)}`);
    const led = new URLSearchParams(linkOf(text).split('?')[1]).get('next');
    t.match(led, /^\/(?!\/)/, next);
    t.notMatch(text, /evil|<script/, next);
  }
});

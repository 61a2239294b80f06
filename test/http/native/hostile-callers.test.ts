/** What somebody tries who has no account, or who has a victim's browser do it: under both interfaces alike. */

import type { Test } from 'tap';
import t from 'tap';
import { serviceRoutes } from '../../../src/api/service.ts';
import { type AccessWorld, accessWorldOf, PASSWORD, SEAL } from '../../support/worlds/access-world.ts';

const PREFIXES = ['', '/api'];
const RIGHT = { username: 'admin', password: PASSWORD };

async function world(t: Test): Promise<AccessWorld> {
  const made = await accessWorldOf(t, {}, serviceRoutes('1.0.0'), ({ logins }) => {
    const deps = {
      logins,
      encryption: SEAL,
    };
    // What is called here needs no more.
    return { ...deps, openId: { isSetUp: false }, version: '1.0.0' } as never;
  });
  await made.account('admin', { isStaff: true });
  return made;
}

t.test('hostile callers: no spelling of a path evades the check of credentials', async (t) => {
  const made = await world(t);
  for (const prefix of PREFIXES) {
    for (const [path, status] of [
      ['/v6/accounts/profile/', 401],
      ['/v6//accounts/profile/', 404],
      ['//v6/accounts/profile/', 404],
      ['/v6/version/../accounts/profile/', 404],
      ['/v6/./accounts/profile/', 404],
      ['/v6/version/%2e%2e/accounts/profile/', 404],
      ['/v6%2faccounts%2fprofile%2f', 404],
      ['/v6/accounts%2fprofile/', 404],
      ['/%76%36/accounts/profile/', 401],
      ['/V6/accounts/profile/', 404],
      ['/v6\\accounts\\profile\\', 404],
      ['/v6/version/;/accounts/profile/', 404],
      ['/v6/accounts/profile/%00', 400],
      ['/v6/accounts/profile/%ff', 400],
    ] as const) {
      t.equal((await made.get(`${prefix}${path}`)).status, status, `${prefix}${path}`);
    }
    const rewritten = {
      'x-original-url': '/v6/version/',
      'x-http-method-override': 'GET',
      upgrade: 'websocket',
    };
    t.equal((await made.get(`${prefix}/v6/accounts/`, rewritten)).status, 401, 'nor a header');
  }
  t.equal((await made.get('http://localhost/v6/accounts/profile/')).status, 404, 'an absolute form');
});

t.test('hostile callers: OPTIONS and HEAD of a route reveal no more than GET', async (t) => {
  const made = await world(t);
  for (const prefix of PREFIXES) {
    const head = await made.call('HEAD', `${prefix}/v6/accounts/profile/`);
    t.equal(head.status, 401);
    const options = await made.call('OPTIONS', `${prefix}/v6/accounts/profile/`);
    t.match(options, { status: 204, text: '' });
    t.notOk(options.headers.has('access-control-allow-origin'), 'other origins read nothing');
    t.equal((await made.call('TRACE', `${prefix}/v6/accounts/profile/`)).status, 405);
  }
});

t.test('hostile callers: a token in an address lets nobody in', async (t) => {
  const made = await world(t);
  const { json } = await made.post('/api-token-auth/', RIGHT);
  for (const prefix of PREFIXES) {
    for (const name of ['token', 'access_token', 'authorization', 'millrace_session']) {
      const answer = await made.get(`${prefix}/v6/accounts/profile/?${name}=${json.token}`);
      t.equal(answer.status, 401, name);
      t.notMatch(answer.text, json.token);
    }
  }
  t.notMatch(JSON.stringify(made.log), json.token, 'nor is it logged');
});

t.test('hostile callers: a session cookie planted before a login is not valid after it', async (t) => {
  const made = await world(t);
  const planted = 'millrace_session=planted-by-somebody; csrftoken=planted';
  for (const target of ['/v6/login/', '/api/v6/login/', '/api/login/']) {
    const { status, cookies } = await made.post(target, RIGHT, { cookie: planted });
    t.equal(status, 200, target);
    t.notMatch(cookies?.join(), /planted/);
    t.equal(
      (cookies ?? []).filter((cookie) => /^(millrace_session|csrftoken)=[\w-]{40,};/.test(cookie)).length,
      2,
    );
    t.equal((await made.get('/v6/accounts/profile/', { cookie: planted })).status, 401);
  }
});

t.test('hostile callers: pages of other origins change nothing with the cookies of a browser', async (t) => {
  const made = await world(t);
  const { cookie = '', 'x-csrftoken': csrf = '' } = await made.session('admin');
  const body = { name: 'x' };
  for (const prefix of PREFIXES) {
    const target = `${prefix}/v6/tokens/`;
    for (const [headers, status] of [
      [{ cookie, 'x-csrftoken': csrf }, 201],
      [{ cookie }, 403],
      [{ cookie, 'x-csrftoken': 'x'.repeat(43) }, 403],
      // Whoever can plant a cookie still has not the one of the session.
      [{ cookie: cookie.replace(csrf, 'known'), 'x-csrftoken': 'known' }, 403],
      [{ cookie, 'x-csrftoken': csrf, origin: 'https://evil.example' }, 403],
      [{ cookie, 'x-csrftoken': csrf, origin: 'null' }, 403],
    ] as const) {
      t.equal((await made.call('POST', target, body, headers)).status, status, JSON.stringify(headers));
    }
    const text = { cookie, 'x-csrftoken': csrf, 'content-type': 'text/plain' };
    t.equal(
      (await made.call('POST', target, JSON.stringify(body), text)).status,
      415,
      'what a form can send',
    );
    const logout = { cookie, origin: 'https://evil.example' };
    t.equal((await made.call('POST', `${prefix}/v6/logout/`, undefined, logout)).status, 403);
  }
});

t.test('hostile callers: bodies that parsers read in different ways are refused', async (t) => {
  const made = await world(t);
  const json = { 'content-type': 'application/json' };
  const deep = (depth: number) => `{"username":"admin","password":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  for (const target of ['/v6/login/', '/api/v6/login/', '/api/login/', '/api-token-auth/']) {
    const send = (text: string) => made.call('POST', target, text, json);
    t.equal((await send(deep(100_000))).status, 413, `deep: ${target}`);
    t.equal((await send(deep(20_000))).status, 400, `less deep: ${target}`);
    const polluted = await send(`{"__proto__":{"username":"admin","password":"${PASSWORD}"}}`);
    t.equal(polluted.status, 400, 'what is only in a prototype is not there');
    const twice = `{"username":"nobody","username":"admin","password":"x","password":"${PASSWORD}"}`;
    t.equal((await send(twice)).status, 200, 'of two that are called alike the last counts');
  }
  t.notOk('username' in {}, 'no prototype was changed');
});

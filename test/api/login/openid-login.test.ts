import type { Test } from 'tap';
import t from 'tap';
import { accountRoutes } from '../../../src/api/accounts/routes.ts';
import { localPath, openIdRoutes } from '../../../src/api/login/openid-routes.ts';
import { loginRoutes } from '../../../src/api/login/routes.ts';
import type { Parts } from '../../../src/api/parts.ts';
import { openIdApp } from '../../../src/auth/openid-login.ts';
import type { IdentityRules } from '../../../src/domain/identity.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { CALLBACK, CLIENT, type ProviderDouble, startProvider } from '../../support/openid-provider.ts';
import { accessWorldOf } from '../../support/worlds/access-world.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';

const START = '/v6/login/openid/';
const PROFILE = '/v6/accounts/profile/';
type Deps = Parts<'openId' | 'logins'>;

async function world(t: Test, rules: IdentityRules = {}, over: { issuer?: string; secret?: string } = {}) {
  const provider = await startProvider(t);
  const openId = {
    ...{ issuer: over.issuer ?? provider.issuer, clientId: CLIENT.id, scopes: 'openid profile email' },
    ...{ clientSecret: new Secret(over.secret ?? CLIENT.secret), ...rules },
  };
  const routes = [...openIdRoutes, ...loginRoutes, ...accountRoutes];
  const access = await accessWorldOf<Deps>(t, {}, routes, ({ logins }) => ({
    openId: openIdApp({ logins, encryption: encryptionOf(Buffer.alloc(32, 1)), openId }),
    logins,
  }));
  return { provider, access, ...browserOf(access, provider) };
}

type World = Awaited<ReturnType<typeof world>>;

/** The attempt's cookie, or the session's, as a browser would send it. */
function cookieOf(cookies: readonly string[]): string {
  return cookies.map((cookie) => cookie.slice(0, cookie.indexOf(';'))).join('; ');
}

function browserOf(access: Awaited<ReturnType<typeof accessWorldOf>>, provider: ProviderDouble) {
  const begin = async (query = '') => {
    const { status, headers, cookies, text } = await access.get(`${START}${query}`);
    if (status !== 302) throw new Error(`${status} ${text}`);
    return { url: headers.get('location') ?? '', cookie: cookieOf(cookies) };
  };
  const come = (back: string, cookie: string) => {
    const { pathname, search } = new URL(back);
    return access.get(`${pathname}${search}`, { cookie });
  };
  return {
    begin,
    come,
    async logIn(who: string, query = '') {
      const { url, cookie } = await begin(query);
      return come(await provider.logIn(url, who), cookie);
    },
  };
}

const profileOf = async ({ access }: World, { cookies }: { readonly cookies: readonly string[] }) =>
  (await access.get(PROFILE, { cookie: cookieOf(cookies) })).json;

t.test('openid: the first login makes an account and a session, the next finds them', async (t) => {
  const here = await world(t);
  here.provider.people.u1 = {
    ...{ preferred_username: 'alice', given_name: 'Alice', family_name: 'Ä', email: 'a@example.com' },
  };
  const first = await here.logIn('u1', '?next=/v6/status/');
  t.equal(first.status, 302, first.text);
  t.equal(first.headers.get('location'), 'http://localhost:8080/v6/status/');
  const profile = await profileOf(here, first);
  t.match(profile, {
    username: 'alice',
    first_name: 'Alice',
    last_name: 'Ä',
    is_staff: false,
    scope: 'admin',
  });

  here.provider.people.u1.given_name = 'Alicia';
  here.provider.people.u1.preferred_username = 'somebody-else';
  here.provider.forget();
  const second = await profileOf(here, await here.logIn('u1'));
  t.match(second, { id: profile.id, username: 'alice', first_name: 'Alicia' }, 'by what never changes');
  t.match(await here.access.entries(), [{ username: 'alice', status: 302, route: `${START}callback/` }, {}]);

  const cookie = cookieOf(first.cookies);
  const csrf = /csrftoken=([^;]+)/.exec(cookie)?.[1] ?? '';
  await here.access.post('/v6/logout/', undefined, { cookie, 'x-csrftoken': csrf });
  t.equal((await here.access.get(PROFILE, { cookie })).status, 401, 'logged out');
});

t.test('openid: the browser is sent with PKCE, state and nonce, and nothing that is secret', async (t) => {
  const here = await world(t);
  const { url, cookie } = await here.begin();
  const { searchParams } = new URL(url);
  t.equal(searchParams.get('code_challenge_method'), 'S256');
  t.equal(searchParams.get('redirect_uri'), CALLBACK);
  for (const name of ['code_challenge', 'state', 'nonce'])
    t.ok((searchParams.get(name) ?? '').length >= 40, name);
  const hidden = [CLIENT.secret, searchParams.get('state') ?? '', searchParams.get('nonce') ?? ''];
  t.notOk(hidden.some((text) => cookie.includes(text)));
  t.notOk(url.includes(CLIENT.secret));
  const { cookies } = await here.access.get(START);
  t.match(cookies.join(), /HttpOnly/);
  t.match(cookies.join(), /Path=\/v6\/login\/openid\/; Max-Age=600; SameSite=Lax/);
});

t.test('openid: the claims of every login decide who may log in and who is staff', async (t) => {
  const rules = { staff: { claim: 'groups', value: 'admins' }, allow: { claim: 'groups', value: 'ours' } };
  const here = await world(t, rules);
  await here.access.account('root', { isStaff: true });
  const person: Record<string, unknown> = { preferred_username: 'bob', groups: ['ours', 'admins'] };
  here.provider.people.u2 = person;
  t.match(await profileOf(here, await here.logIn('u2')), { username: 'bob', is_staff: true });
  person.groups = ['ours'];
  t.match(await profileOf(here, await here.logIn('u2')), { username: 'bob', is_staff: false });
  person.groups = ['others'];
  const refused = await here.logIn('u2');
  t.match(refused, { status: 403, json: { code: 'FORBIDDEN' } });
  t.notOk(refused.cookies.some((cookie) => cookie.startsWith('millrace_session')));
  here.provider.forget();
  here.provider.people.u3 = { preferred_username: 'eve', groups: 'ours, admins' };
  t.equal((await here.logIn('u3')).status, 403);
  const accounts = await here.access.store.rows<{ username: string }>(
    'select username from account order by id',
  );
  t.strictSame(
    accounts.map(({ username }) => username),
    ['root', 'bob'],
    'who may not come in gets none',
  );
});

t.test('openid: the last staff account stays staff, whatever the provider says', async (t) => {
  const here = await world(t, { staff: { claim: 'groups', value: 'admins' } });
  const person: Record<string, unknown> = { preferred_username: 'bob', groups: ['admins'] };
  here.provider.people.u2 = person;
  t.match(await profileOf(here, await here.logIn('u2')), { is_staff: true });
  person.groups = [];
  t.match(await profileOf(here, await here.logIn('u2')), { is_staff: true });
});

t.test('openid: a name of another account cannot be taken', async (t) => {
  const here = await world(t);
  await here.access.account('carol', { isStaff: true });
  await here.access.store.rows(
    `insert into account (username, password_hash, created, last_modified) values ('made', null, now(), now())`,
  );
  const { people, forget } = here.provider;
  Object.assign(people, {
    ...{ u4: { preferred_username: 'Carol' }, u5: { preferred_username: 'made' } },
    ...{
      u6: { preferred_username: 'MADE' },
      u7: { preferred_username: 'two words', email: 'd@example.com' },
    },
    ...{ 'u 8': { preferred_username: 5 } },
  });
  const outcomes: number[] = [];
  for (const who of ['u4', 'u5', 'u6', 'u7', 'u 8']) {
    forget();
    outcomes.push((await here.logIn(who)).status);
  }
  t.strictSame(outcomes, [403, 302, 403, 302, 403]);
  const linked = await here.access.store.rows<{ name: string }>(
    'select username as name from account_identity i join account a on a.id = i.account_id order by i.id',
  );
  t.strictSame(
    linked.map(({ name }) => name),
    ['made', 'd@example.com'],
  );
});

t.test('openid: a deactivated account cannot log in', async (t) => {
  const here = await world(t);
  here.provider.people.u9 = { preferred_username: 'dave' };
  await here.logIn('u9');
  await here.access.store.rows(`update account set is_active = false where username = 'dave'`);
  const refused = await here.logIn('u9');
  t.equal(refused.status, 401);
  t.notOk(refused.cookies.some((cookie) => cookie.startsWith('millrace_session')));
});

t.test('openid: returns that this browser did not begin are refused', async (t) => {
  const here = await world(t);
  here.provider.people.u1 = { preferred_username: 'alice' };
  const { url, cookie } = await here.begin();
  const back = await here.provider.logIn(url, 'u1');
  const other = await here.begin();
  const tampered = cookie.slice(0, -2) + (cookie.endsWith('AA') ? 'BB' : 'AA');
  const swap = (name: string, value: string) => {
    const changed = new URL(back);
    changed.searchParams.set(name, value);
    return changed.href;
  };
  const refusals: [string, string, string][] = [
    ['no cookie', back, ''],
    ['another attempt’s cookie', back, other.cookie],
    ['a changed cookie', back, tampered],
    ['no cookie of ours', back, 'millrace_openid=AAAA'],
    ['a long cookie', back, `millrace_openid=${'A'.repeat(9_000)}`],
    ['another state', swap('state', 'x'), cookie],
    ['another issuer', swap('iss', 'https://evil.example'), cookie],
    ['an error', `${CALLBACK}?error=access_denied&state=${new URL(url).searchParams.get('state')}`, cookie],
    ['nothing', CALLBACK, cookie],
    ['another code', swap('code', 'x'), cookie],
  ];
  for (const [what, target, sent] of refusals) {
    const refused = await here.come(target, sent);
    t.equal(refused.status, 401, `${what}: ${refused.text}`);
    t.notOk(
      refused.cookies.some((one) => one.startsWith('millrace_session')),
      what,
    );
  }
  t.strictSame(await here.access.store.rows('select 1 from account'), []);
  const again = await here.begin();
  here.access.nowMs += 700_000;
  t.equal(
    (await here.come(await here.provider.logIn(again.url, 'u1'), again.cookie)).status,
    401,
    'too late',
  );
});

t.test('openid: a code is valid once', async (t) => {
  const here = await world(t);
  here.provider.people.u1 = { preferred_username: 'alice' };
  const { url, cookie } = await here.begin();
  const back = await here.provider.logIn(url, 'u1');
  t.equal((await here.come(back, cookie)).status, 302);
  t.equal((await here.come(back, cookie)).status, 401);
});

t.test(
  'openid: errors of a provider that does not answer or refuses this client do not repeat what was sent',
  async (t) => {
    const gone = await world(t, {}, { issuer: 'http://127.0.0.1:1' });
    t.match(await gone.access.get(START), { status: 503, json: { code: 'DEADLINE_EXCEEDED' } });
    const wrong = await world(t, {}, { secret: 'canary-wrong-secret' });
    wrong.provider.people.u1 = { preferred_username: 'alice' };
    const refused = await wrong.logIn('u1');
    t.equal(refused.status, 401, refused.text);
    t.notMatch(JSON.stringify([refused.text, wrong.access.log]), /canary/);
  },
);

t.test('openid: without a provider its routes are 404', async (t) => {
  const access = await accessWorldOf<Parts<'openId'>>(t, {}, openIdRoutes, ({ logins }) => ({
    openId: openIdApp({ logins, encryption: encryptionOf(Buffer.alloc(32, 1)) }),
  }));
  for (const target of [START, `${START}callback/?code=x&state=y`])
    t.equal((await access.get(target)).status, 404);
});

t.test('openid: after a login the browser stays within this service', (t) => {
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'evil',
    '',
    '/a\nb',
    '/ä',
    undefined,
  ];
  for (const wanted of [...elsewhere, `/${'x'.repeat(2_000)}`]) t.equal(localPath(wanted), '/', `${wanted}`);
  for (const wanted of ['/', '/v6/status/?a=b#c', '/api/']) t.equal(localPath(wanted), wanted);
  t.end();
});

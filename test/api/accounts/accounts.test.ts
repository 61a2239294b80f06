/** `/v6/accounts/`, `/v6/login/`, `/v6/logout/`: accounts and their sessions, on a real database. */
import t from 'tap';
import { accessWorld, DAY_MS, PASSWORD } from '../../support/worlds/access-world.ts';

const CREATE = {
  username: 'Jane.Doe',
  password: 'long enough',
  first_name: 'Jane',
  last_name: 'Doe',
  email: 'jane@example.org',
};

t.test('accounts: an account is created, listed, edited and read', async (t) => {
  const world = await accessWorld(t);
  await world.account('admin', { isStaff: true });
  const admin = await world.session('admin');
  const created = await world.post('/v6/accounts/', CREATE, admin);
  t.match(created, {
    status: 201,
    json: {
      ...{ username: 'Jane.Doe', first_name: 'Jane', last_name: 'Doe', email: 'jane@example.org' },
      ...{ is_staff: false, is_active: true, has_password: true, last_login: null },
    },
  });
  t.notMatch(created.text, /scrypt|long enough/);
  const target = created.headers.get('location')?.replace(/^http:\/\/[^/]*/, '') ?? '';
  t.equal(target, `/v6/accounts/${created.json.id}/`);

  const edit = { first_name: 'J.', is_staff: true, email: '' };
  t.equal((await world.call('PATCH', target, edit, admin)).status, 204);
  t.match((await world.get(target, admin)).json, {
    first_name: 'J.',
    last_name: 'Doe',
    is_staff: true,
    email: '',
  });
  const listed = async (query: string) =>
    (await world.get(`/v6/accounts/?${query}`, admin)).json.results.map(
      (one: { username: string }) => one.username,
    );
  t.same(await listed('order=username'), ['admin', 'Jane.Doe']);
  t.same(await listed('username=JANE.DOE'), ['Jane.Doe']);
  t.same(await listed('is_active=false'), []);
  t.same(await listed('order=-created&is_staff=true&page_size=1'), ['Jane.Doe']);
  t.equal((await world.get('/v6/accounts/999/', admin)).status, 404);
  t.equal((await world.call('PATCH', '/v6/accounts/999/', { first_name: 'x' }, admin)).status, 404);
});

t.test('accounts: wrong bodies are refused with every problem', async (t) => {
  const world = await accessWorld(t);
  await world.account('admin', { isStaff: true });
  const admin = await world.session('admin');
  const refused = async (over: object, ...paths: string[]) => {
    const { status, json } = await world.post('/v6/accounts/', { ...CREATE, ...over }, admin);
    t.equal(status, 400, JSON.stringify(over));
    t.same(json.errors.map((problem: { path: string }) => problem.path).sort(), paths.sort());
  };
  await refused({ username: 'with space' }, 'username');
  await refused({ username: '' }, 'username');
  await refused({ username: 'x'.repeat(151) }, 'username');
  await refused({ username: 'ünïcode' }, 'username');
  await refused({ username: 'ANONYMOUS' }, 'username');
  await refused({ password: 'short' }, 'password');
  await refused({ password: 'x'.repeat(1_001) }, 'password');
  await refused({ password: 'aaaaaaaaaa' }, 'password');
  await refused({ password: 'jane.doe' }, 'password');
  await refused({ email: 'nobody' }, 'email');
  await refused({ is_staff: 'yes' }, 'is_staff');
  await refused({ first_name: 'x'.repeat(151), last_name: 7 }, 'first_name', 'last_name');
  await refused({ username: 'a b', password: 'xxxxxxxx', email: '@' }, 'username', 'password', 'email');
  t.equal((await world.post('/v6/accounts/', { username: 'only' }, admin)).status, 201, 'a name is enough');
  const taken = await world.post('/v6/accounts/', { username: 'ONLY' }, admin);
  t.match(taken, { status: 409, json: { code: 'NAME_TAKEN', errors: [{ path: 'username' }] } });
  const noPassword = await world.post('/v6/login/', { username: 'only', password: 'anything at all' });
  t.equal(noPassword.status, 401, 'an account without a password cannot log in');
});

t.test('accounts: the last administrator cannot be demoted', async (t) => {
  const world = await accessWorld(t);
  const id = await world.account('admin', { isStaff: true });
  await world.account('former', { isStaff: true, isActive: false });
  const admin = await world.session('admin');
  for (const edit of [{ is_staff: false }, { is_active: false }]) {
    const refused = await world.call('PATCH', `/v6/accounts/${id}/`, edit, admin);
    t.match(refused, { status: 409, json: { code: 'CONFLICT' } });
  }
  t.match((await world.get(`/v6/accounts/${id}/`, admin)).json, { is_staff: true, is_active: true });
});

t.test('accounts: of two administrators that demote each other at once one remains', async (t) => {
  const world = await accessWorld(t);
  const ids = [await world.account('one', { isStaff: true }), await world.account('two', { isStaff: true })];
  const [one, two] = [await world.session('one'), await world.session('two')];
  const answers = await Promise.all([
    world.call('PATCH', `/v6/accounts/${ids[1]}/`, { is_staff: false }, one),
    world.call('PATCH', `/v6/accounts/${ids[0]}/`, { is_staff: false }, two),
  ]);
  const [done, refused] = answers.map(({ status }) => status).sort();
  t.equal(done, 204);
  // Who was demoted before they were asked for is none any more.
  t.ok(refused === 409 || refused === 403, `${refused}`);
});

t.test('accounts: a deactivated account loses its sessions and tokens at once', async (t) => {
  const world = await accessWorld(t);
  await world.account('admin', { isStaff: true });
  const id = await world.account('jane');
  const admin = await world.session('admin');
  const session = await world.session('jane');
  const token = await world.token(id, 'read');
  t.equal((await world.get('/v6/accounts/profile/', session)).status, 200);
  t.equal((await world.get('/v6/accounts/profile/', token)).status, 200);
  await world.call('PATCH', `/v6/accounts/${id}/`, { is_active: false }, admin);
  t.equal((await world.get('/v6/accounts/profile/', session)).status, 401);
  t.equal((await world.get('/v6/accounts/profile/', token)).status, 401);
  t.equal((await world.post('/v6/login/', { username: 'jane', password: PASSWORD })).status, 401);
  await world.call('PATCH', `/v6/accounts/${id}/`, { is_active: true }, admin);
  t.equal((await world.get('/v6/accounts/profile/', session)).status, 401, 'its sessions have ended');
  t.equal((await world.get('/v6/accounts/profile/', token)).status, 200);
});

t.test('accounts: the profile is the caller’s', async (t) => {
  const world = await accessWorld(t);
  const id = await world.account('jane');
  const session = await world.get('/v6/accounts/profile/', await world.session('jane'));
  t.same(session.json, {
    ...{ id, username: 'jane', first_name: 'First', last_name: 'Last', email: '', is_staff: false },
    scope: 'admin',
  });
  const reader = await world.token(id, 'read');
  t.match((await world.get('/v6/accounts/profile/', reader)).json, { username: 'jane', scope: 'read' });
  t.equal((await world.get('/v6/accounts/profile/')).status, 401);
  const open = await accessWorld(t, { isAuthOn: false });
  t.match(await open.get('/v6/accounts/profile/'), { status: 401, json: { code: 'UNAUTHENTICATED' } });
});

t.test('login: it sets cookies that scripts cannot read, and a logout removes them', async (t) => {
  const world = await accessWorld(t);
  const accountId = await world.account('jane');
  const { status, json, cookies, text } = await world.post('/v6/login/', {
    username: 'JANE',
    password: PASSWORD,
  });
  t.match([status, json], [200, { account_id: accountId, username: 'jane' }]);
  const [session = '', csrf = ''] = cookies;
  t.match(session, /^millrace_session=[\w-]{43}; Path=\/; Max-Age=1209600; SameSite=Lax; HttpOnly$/);
  t.match(csrf, /^csrftoken=[\w-]{43}; Path=\/; Max-Age=1209600; SameSite=Lax$/);
  t.notMatch(text, /[\w-]{43}/, 'no secret in the answer');
  const cookie = cookies.map((one) => one.split(';')[0]).join('; ');
  t.equal((await world.get('/v6/accounts/profile/', { cookie })).status, 200);
  const stored = await world.store.rows('select * from login_session');
  t.notMatch(JSON.stringify(stored), /[\w-]{43}/, 'hashes only');

  const out = await world.call('POST', '/v6/logout/', undefined, { cookie });
  t.match([out.status, out.cookies], [204, [/^millrace_session=; .*Max-Age=0/, /^csrftoken=; .*Max-Age=0/]]);
  t.equal((await world.get('/v6/accounts/profile/', { cookie })).status, 401);
  t.equal((await world.call('POST', '/v6/logout/')).status, 204, 'without a session it does nothing');
});

t.test('logout: a token of any scope revokes itself, and no other', async (t) => {
  const world = await accessWorld(t);
  const id = await world.account('jane');
  const [reader, writer] = [await world.token(id, 'read'), await world.token(id, 'write')];
  const statusOf = async (headers: Record<string, string>) =>
    (await world.get('/v6/accounts/profile/', headers)).status;
  t.equal(await statusOf(reader), 200);
  t.equal((await world.call('POST', '/v6/logout/', undefined, reader)).status, 204);
  t.equal(await statusOf(reader), 401);
  t.equal((await world.call('POST', '/v6/logout/', undefined, reader)).status, 204, 'a second time');
  t.equal(await statusOf(writer), 200);
  const jane = await world.session('jane');
  const revoked = (await world.get('/v6/tokens/', jane)).json.results.map(
    (token: { scope: string; is_active: boolean }) => [token.scope, token.is_active],
  );
  t.strictSame(revoked.sort(), [
    ['read', false],
    ['write', true],
  ]);
});

t.test('login: behind a trusted proxy with TLS cookies are sent over TLS only', async (t) => {
  const world = await accessWorld(t, { trustedProxies: ['10.0.0.0/8'] });
  await world.account('jane');
  const body = { username: 'jane', password: PASSWORD };
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7, 10.1.1.1' };
  const trusted = await world.post('/v6/login/', body, headers);
  for (const cookie of trusted.cookies) t.match(cookie, /; Secure/);
  t.match(await world.store.rows('select address from login_session'), [{ address: '203.0.113.7' }]);
  world.address = '192.0.2.1';
  const other = await world.post('/v6/login/', body, headers);
  for (const cookie of other.cookies) t.notMatch(cookie, /Secure/, 'anybody can write that header');
  t.match(
    (await world.entries()).map((entry) => entry.address),
    ['203.0.113.7', '192.0.2.1'],
  );
});

t.test('login: a session ends after a day without use, and after two weeks in any case', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  const begunMs = world.nowMs;
  const session = await world.session('jane');
  const status = async () => (await world.get('/v6/accounts/profile/', session)).status;
  for (let day = 0; day < 14; day += 0.75) {
    world.nowMs = begunMs + day * DAY_MS;
    t.equal(await status(), 200, `used on day ${day}`);
  }
  world.nowMs = begunMs + 14 * DAY_MS;
  t.equal(await status(), 401);
  const next = await world.session('jane');
  world.nowMs += DAY_MS + 1;
  t.equal((await world.get('/v6/accounts/profile/', next)).status, 401);
});

t.test('login: a wrong name and a wrong password are refused in the same words', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  await world.account('gone', { isActive: false });
  const details = new Set<string>();
  for (const [username, password] of [
    ['jane', 'wrong'],
    ['nobody', PASSWORD],
    ['gone', PASSWORD],
    ["' or true --", 'x'],
  ]) {
    const { status, json, cookies } = await world.post('/v6/login/', { username, password });
    t.match([status, cookies], [401, []]);
    details.add(JSON.stringify(json));
  }
  t.equal(details.size, 1);
  for (const body of [
    {},
    { username: 'jane' },
    { username: 'jane', password: 7 },
    { username: '', password: '' },
  ]) {
    t.equal((await world.post('/v6/login/', body)).status, 400);
  }
  t.equal((await world.post('/v6/login/', '[]')).status, 400);
});

t.test('login: guesses are delayed longer and longer, for their caller only', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  const attempt = (password: string) => world.post('/v6/login/', { username: 'jane', password });
  for (let count = 0; count < 5; count += 1) t.equal((await attempt('wrong')).status, 401);
  const blocked = await attempt(PASSWORD);
  t.match(blocked, { status: 429, json: { code: 'TOO_MANY_REQUESTS' } });
  t.equal(blocked.headers.get('retry-after'), '1');
  world.nowMs += 1_000;
  t.equal((await attempt('wrong')).status, 401);
  t.equal((await attempt(PASSWORD)).headers.get('retry-after'), '2', 'the wait doubles');
  world.address = '10.0.0.10';
  t.equal((await attempt(PASSWORD)).status, 200, 'others are not kept out');
  world.address = '10.0.0.9';
  world.nowMs += 2_000;
  t.equal((await attempt(PASSWORD)).status, 200);
  t.equal((await attempt('wrong')).status, 401, 'forgotten after a success');
});

t.test('login: an address that tries many names is delayed as a whole', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  for (let count = 0; count < 50; count += 1) {
    t.equal((await world.post('/v6/login/', { username: `name-${count}`, password: 'x' })).status, 401);
  }
  t.equal((await world.post('/v6/login/', { username: 'jane', password: PASSWORD })).status, 429);
});

t.test('passwords: a caller needs the old password to change it, and other sessions end', async (t) => {
  const world = await accessWorld(t);
  const id = await world.account('jane');
  const [here, there] = [await world.session('jane'), await world.session('jane')];
  const token = await world.token(id, 'read');
  const target = `/v6/accounts/${id}/password/`;
  const change = (body: object, headers = here) => world.post(target, body, headers);
  t.match(await change({ password: 'a new one' }), {
    status: 400,
    json: { errors: [{ path: 'current_password' }] },
  });
  t.match(await change({ password: 'a new one', current_password: 'wrong' }), {
    status: 400,
    json: { errors: [{ name: 'WRONG_PASSWORD', path: 'current_password' }] },
  });
  t.equal((await change({ password: 'jane', current_password: PASSWORD })).status, 400);
  t.equal((await change({ password: 'a new one', current_password: PASSWORD }, token)).status, 403);
  t.equal((await change({ password: 'a new one', current_password: PASSWORD })).status, 204);
  t.equal((await world.get('/v6/accounts/profile/', here)).status, 200, 'the session that asked continues');
  t.equal((await world.get('/v6/accounts/profile/', there)).status, 401);
  t.equal((await world.get('/v6/accounts/profile/', token)).status, 200, 'tokens stay');
  t.equal((await world.post('/v6/login/', { username: 'jane', password: PASSWORD })).status, 401);
  t.equal((await world.post('/v6/login/', { username: 'jane', password: 'a new one' })).status, 200);
});

t.test('passwords: only staff set those of others', async (t) => {
  const world = await accessWorld(t);
  await world.account('admin', { isStaff: true });
  const id = await world.account('jane');
  await world.account('joe');
  const target = `/v6/accounts/${id}/password/`;
  const body = { password: 'set by another' };
  t.equal((await world.post(target, body, await world.session('joe'))).status, 403);
  t.equal((await world.post(target, body, await world.session('admin'))).status, 204);
  t.equal((await world.post('/v6/login/', { username: 'jane', ...body })).status, 200);
  t.equal((await world.post('/v6/accounts/999/password/', body, await world.session('admin'))).status, 404);
  t.same(
    await world.store.rows(`select count(*) as count from account where password_hash like '%$set by%'`),
    [{ count: 0 }],
  );
});

/** `/v6/tokens/`, on a real database. */
import t from 'tap';
import { revokeOlderTokens } from '../../../src/store/account/access-tokens.ts';
import { accessWorld, DAY_MS, PASSWORD } from '../../support/worlds/access-world.ts';

t.test('tokens: a token is shown once, works in both spellings, and is kept as a hash', async (t) => {
  const world = await accessWorld(t);
  const id = await world.account('jane');
  const session = await world.session('jane');
  const created = await world.post('/v6/tokens/', { name: 'laptop' }, session);
  t.match(created, {
    status: 201,
    json: {
      ...{ name: 'laptop', scope: 'read', account: { id, username: 'jane' }, is_active: true },
      ...{ revoked: null, last_used: null, token: /^mlr_[\w-]{43}$/ },
    },
  });
  const { token, expires, created: at } = created.json;
  t.equal(Date.parse(expires) - Date.parse(at), 365 * DAY_MS, 'a year');
  for (const authorization of [`Bearer ${token}`, `Token ${token}`, `bearer  ${token}`]) {
    t.equal(
      (await world.get('/v6/accounts/profile/', { authorization })).status,
      200,
      authorization.slice(0, 7),
    );
  }
  for (const authorization of [`Bearer${token}`, `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, token]) {
    t.equal((await world.get('/v6/accounts/profile/', { authorization })).status, 401);
  }
  const details = await world.get(`/v6/tokens/${created.json.id}/`, session);
  t.match(details.json, { name: 'laptop', last_used: String });
  t.notMatch(details.text + (await world.get('/v6/tokens/', session)).text, /mlr_/);
  t.notMatch(JSON.stringify(await world.store.rows('select * from access_token')), /mlr_/);
});

t.test('tokens: wrong bodies are refused with every problem', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  const session = await world.session('jane');
  const refused = async (body: object, ...paths: string[]) => {
    const { status, json } = await world.post('/v6/tokens/', body, session);
    t.equal(status, 400, JSON.stringify(body));
    t.same(json.errors.map((problem: { path: string }) => problem.path).sort(), paths.sort());
  };
  await refused({}, 'name');
  await refused({ name: '' }, 'name');
  await refused({ name: 'x'.repeat(101) }, 'name');
  await refused({ name: 'x', scope: 'everything' }, 'scope');
  await refused({ name: 'x', expires: 'tomorrow' }, 'expires');
  await refused({ name: 'x', expires: '2001-01-01T00:00:00Z' }, 'expires');
  await refused({ name: 'x', expires: 7 }, 'expires');
  await refused({ name: 7, expires: 'soon' }, 'name', 'expires');
  await refused({ name: 'x', account_id: 'me' }, 'account_id');
  const never = await world.post('/v6/tokens/', { name: 'x', expires: null }, session);
  t.match(never, { status: 201, json: { expires: null } });
});

t.test('tokens: an account sees its own tokens only, and staff see all', async (t) => {
  const world = await accessWorld(t);
  const [adminId, janeId] = [await world.account('admin', { isStaff: true }), await world.account('jane')];
  await world.account('gone', { isActive: false });
  await world.token(adminId, 'admin');
  await world.token(janeId, 'read');
  const [admin, jane] = [await world.session('admin'), await world.session('jane')];
  const owners = async (query: string, headers: typeof jane) =>
    (await world.get(`/v6/tokens/?${query}`, headers)).json.results.map(
      (one: { account: { username: string } }) => one.account.username,
    );
  t.same(await owners('', jane), ['jane']);
  t.same(await owners(`account_id=${adminId}`, jane), []);
  t.same(await owners(`account_id=${janeId}`, jane), ['jane']);
  t.same(await owners('', admin), ['admin', 'jane']);
  t.same(await owners(`account_id=${janeId}`, admin), ['jane']);
  const { json } = await world.get('/v6/tokens/', admin);
  const [ofAdmin, ofJane] = json.results;
  t.equal((await world.get(`/v6/tokens/${ofAdmin.id}/`, jane)).status, 404);
  t.equal((await world.call('DELETE', `/v6/tokens/${ofAdmin.id}/`, undefined, jane)).status, 404);
  t.equal((await world.post('/v6/tokens/', { name: 'x', account_id: adminId }, jane)).status, 403);
  const given = await world.post(
    '/v6/tokens/',
    { name: 'service', account_id: janeId, scope: 'write' },
    admin,
  );
  t.match(given, { status: 201, json: { account: { username: 'jane' }, scope: 'write' } });
  const unknown = await world.post('/v6/tokens/', { name: 'x', account_id: 999 }, admin);
  t.match(unknown, { status: 400, json: { code: 'UNKNOWN_REFERENCE', errors: [{ path: 'account_id' }] } });
  t.equal((await world.call('DELETE', `/v6/tokens/${ofJane.id}/`, undefined, admin)).status, 204);
  t.match((await world.get(`/v6/tokens/${ofJane.id}/`, jane)).json, { is_active: false, revoked: String });
});

t.test('tokens: a revoked token is refused from then on', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  const session = await world.session('jane');
  const { json } = await world.post('/v6/tokens/', { name: 'x' }, session);
  const headers = { authorization: `Bearer ${json.token}` };
  t.equal((await world.get('/v6/accounts/profile/', headers)).status, 200);
  for (const time of ['first', 'second']) {
    t.equal((await world.call('DELETE', `/v6/tokens/${json.id}/`, undefined, session)).status, 204, time);
  }
  t.equal((await world.get('/v6/accounts/profile/', headers)).status, 401);
  t.equal((await world.call('DELETE', '/v6/tokens/999/', undefined, session)).status, 404);
});

t.test('tokens: other coordinators refuse a revoked or expired token within two seconds', async (t) => {
  const world = await accessWorld(t);
  const id = await world.account('jane');
  const headers = await world.token(id, 'read', world.nowMs + 10_000);
  const status = async () => (await world.get('/v6/accounts/profile/', headers)).status;
  t.equal(await status(), 200);
  world.nowMs += 9_999;
  t.equal(await status(), 200);
  world.nowMs += 1;
  t.equal(await status(), 401, 'it is not remembered beyond its end');
  const other = await world.token(id, 'read');
  t.equal((await world.get('/v6/accounts/profile/', other)).status, 200);
  await world.store.rows('update access_token set revoked = now()');
  world.nowMs += 2_000;
  t.equal((await world.get('/v6/accounts/profile/', other)).status, 401);
});

t.test('tokens: an account has a limited number, and old tokens of a login make room', async (t) => {
  const world = await accessWorld(t);
  const id = await world.account('jane');
  const { sql } = world.store.db;
  await world.store.rows(
    `insert into access_token (account_id, name, token_hash, scope, created)
     select $1, 'old', sha256(n::text::bytea), 'read', now() from generate_series(1, 200) as n`,
    [id],
  );
  const session = await world.session('jane');
  t.match(await world.post('/v6/tokens/', { name: 'x' }, session), {
    status: 409,
    json: { code: 'CONFLICT' },
  });
  await revokeOlderTokens(sql, id, 'old', 19, world.nowMs);
  t.match(await world.store.rows('select count(*) as count from access_token where revoked is null'), [
    { count: 19 },
  ]);
  t.equal((await world.post('/v6/tokens/', { name: 'x' }, session)).status, 201);
});

t.test('tokens: a login with a password gets a token that writes, and the newest ones stay', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane', { isStaff: true });
  const { logInForToken } = await import('../../../src/auth/login.ts');
  const { logins } = world.access;
  const from = { address: '10.0.0.9', requestId: 'r', method: 'POST', route: '/x/', nowMs: world.nowMs };
  const tokens: string[] = [];
  for (let count = 0; count < 22; count += 1) {
    tokens.push(await logInForToken(logins, { username: 'jane', password: PASSWORD }, from));
  }
  const status = async (token = '') =>
    (await world.get('/v6/accounts/profile/', { authorization: `Token ${token}` })).status;
  t.same([await status(tokens[0]), await status(tokens[1]), await status(tokens[2])], [401, 401, 200]);
  t.equal(
    (await world.get('/v6/audit/', { authorization: `Token ${tokens[21]}` })).status,
    403,
    'no admin scope',
  );
  await t.rejects(logInForToken(logins, { username: 'jane', password: 'wrong' }, from), {
    code: 'UNAUTHENTICATED',
  });
});

t.test('tokens: without authentication anybody creates them, for a named account', async (t) => {
  const world = await accessWorld(t, { isAuthOn: false });
  const id = await world.account('jane');
  const without = await world.post('/v6/tokens/', { name: 'x' });
  t.match(without, { status: 400, json: { errors: [{ path: 'account_id' }] } });
  t.equal((await world.post('/v6/tokens/', { name: 'x', account_id: id })).status, 201);
});

/** `/v6/login/codes/`: logging in by a code, and those who guess, repeat, race or come too late. */
import t from 'tap';
import { type AccessWorld, accessWorld, DAY_MS } from '../../support/worlds/access-world.ts';

const CODES = '/v6/login/codes/';
const TOKEN = '/v6/login/codes/token/';
const LOOKUP = '/v6/login/codes/lookup/';
const DECISION = '/v6/login/codes/decision/';
const PROFILE = '/v6/accounts/profile/';

async function begin(world: AccessWorld, body: object = {}) {
  const { status, json } = await world.post(CODES, body);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
  return { device: { device_code: json.device_code as string }, code: json.user_code as string };
}

const poll = (world: AccessWorld, device: object) => world.post(TOKEN, device);
const approve = (code: string) => ({ user_code: code, is_approved: true });

t.test('login codes: a person approves, and the program has a token once', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  world.address = '10.0.0.7';
  const made = await world.post(CODES, { scope: 'read', days: 3 });
  t.match(made, {
    status: 200,
    json: { expires_in: 600, interval: 5, verification_uri: /\/login\/code\/$/ },
  });
  t.match(made.json.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  const device = { device_code: made.json.device_code };
  t.match(await poll(world, device), { status: 400, json: { code: 'LOGIN_PENDING' } });

  world.address = '10.0.0.9';
  const jane = await world.session('jane');
  const typed = made.json.user_code.toLowerCase().replace('-', ' ');
  t.match(await world.post(LOOKUP, { user_code: typed }, jane), {
    status: 200,
    json: { address: '10.0.0.7', scope: 'read', days: 3 },
  });
  t.equal((await world.post(DECISION, approve(typed), jane)).status, 204);
  world.nowMs += 5_000;
  const taken = await poll(world, device);
  t.match(taken, {
    status: 200,
    json: { name: 'millrace login', scope: 'read', account: { username: 'jane' } },
  });
  t.equal(Date.parse(taken.json.expires), world.nowMs + 3 * DAY_MS);
  const headers = { authorization: `Bearer ${taken.json.token}` };
  t.match((await world.get(PROFILE, headers)).json, { username: 'jane', scope: 'read' });
  const listed = await world.get('/v6/tokens/', jane);
  t.strictSame(
    listed.json.results.map((token: { id: number }) => token.id),
    [taken.json.id],
    'it is in the list',
  );
  t.notMatch(listed.text, taken.json.token);

  world.nowMs += 5_000;
  t.match(await poll(world, device), { status: 400, json: { code: 'LOGIN_EXPIRED' } }, 'a replay');
  t.equal((await world.post(DECISION, approve(typed), jane)).status, 404, 'the code is used');
  const routes = (await world.entries()).map(({ route, username }) => `${username} ${route}`);
  for (const route of [DECISION, TOKEN]) t.ok(routes.includes(`jane ${route}`), `the audit has ${route}`);
  const stored = JSON.stringify(await world.store.rows('select * from login_code'));
  t.notMatch(stored, device.device_code);
});

t.test('login codes: the token is for 30 days and never above the account', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  const jane = await world.session('jane');
  const { device, code } = await begin(world, {});
  await world.post(DECISION, approve(code), jane);
  const { json } = await poll(world, device);
  t.equal(Date.parse(json.expires), world.nowMs + 30 * DAY_MS);
  t.equal(json.scope, 'write');
  const admin = await begin(world, { scope: 'admin' });
  await world.post(DECISION, approve(admin.code), jane);
  const { json: wide } = await poll(world, admin.device);
  t.equal((await world.get('/v6/accounts/', { authorization: `Bearer ${wide.token}` })).status, 403);
});

t.test('login codes: fast polls are slowed down, and approved ones among them too', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  const { device, code } = await begin(world);
  const codeOf = async () => (await poll(world, device)).json.code;
  t.equal(await codeOf(), 'LOGIN_PENDING');
  world.nowMs += 1_000;
  t.equal(await codeOf(), 'LOGIN_SLOW_DOWN');
  world.nowMs += 5_000;
  t.equal(await codeOf(), 'LOGIN_SLOW_DOWN', 'the interval has grown to ten seconds');
  world.nowMs += 15_000;
  t.equal(await codeOf(), 'LOGIN_PENDING');
  await world.post(DECISION, approve(code), await world.session('jane'));
  t.equal(await codeOf(), 'LOGIN_SLOW_DOWN');
  world.nowMs += 20_000;
  t.equal((await poll(world, device)).status, 200);
});

t.test(
  'login codes: of two concurrent decisions one counts, and of two polls one gets the token',
  async (t) => {
    const world = await accessWorld(t);
    await world.account('jane');
    await world.account('john');
    const sessions = [await world.session('jane'), await world.session('john')];
    const { device, code } = await begin(world);
    const decided = await Promise.all(sessions.map((who) => world.post(DECISION, approve(code), who)));
    t.strictSame(decided.map(({ status }) => status).sort(), [204, 404]);
    const winner = decided[0]?.status === 204 ? 'jane' : 'john';
    const polls = await Promise.all([poll(world, device), poll(world, device)]);
    t.strictSame(polls.map(({ status }) => status).sort(), [200, 400]);
    t.equal(polls.find(({ status }) => status === 200)?.json.account.username, winner);
    t.equal((await world.store.rows('select id from access_token')).length, 1);
  },
);

t.test(
  'login codes: a denied or expired code, or one of a deactivated account, gives no token',
  async (t) => {
    const world = await accessWorld(t);
    const id = await world.account('jane');
    const jane = await world.session('jane');
    const denied = await begin(world);
    const no = { user_code: denied.code, is_approved: false };
    t.equal((await world.post(DECISION, no, jane)).status, 204);
    t.equal((await world.post(DECISION, approve(denied.code), jane)).status, 404, 'a denial stays');
    t.match(await poll(world, denied.device), { status: 400, json: { code: 'LOGIN_DENIED' } });

    const [late, approved] = [await begin(world), await begin(world)];
    await world.post(DECISION, approve(approved.code), jane);
    world.nowMs += 600_000;
    t.equal((await world.post(LOOKUP, { user_code: late.code }, jane)).status, 404);
    t.equal((await world.post(DECISION, approve(late.code), jane)).status, 404);
    for (const { device } of [late, approved]) {
      t.match(await poll(world, device), { status: 400, json: { code: 'LOGIN_EXPIRED' } });
    }

    const { device, code } = await begin(world);
    await world.post(DECISION, approve(code), jane);
    await world.store.rows(`update account set is_active = false where id = ${id}`);
    t.match(await poll(world, device), { status: 400, json: { code: 'LOGIN_DENIED' } });
    t.strictSame(await world.store.rows('select id from access_token'), []);
  },
);

t.test('login codes: wrong codes are limited by account and by address', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  const jane = await world.session('jane');
  const { code } = await begin(world);
  const guess = { user_code: 'BBBB-BBBB' };
  const statuses = [];
  for (let count = 0; count < 6; count++) {
    world.address = `10.1.0.${count}`;
    const isLookup = count % 2 === 0;
    const body = isLookup ? guess : { ...guess, is_approved: true };
    statuses.push((await world.post(isLookup ? LOOKUP : DECISION, body, jane)).status);
  }
  t.strictSame(statuses, [404, 404, 404, 404, 404, 429]);
  const blocked = await world.post(LOOKUP, { user_code: code }, jane);
  t.equal(blocked.status, 429, 'the right one has to wait as well');
  t.ok(Number(blocked.headers.get('retry-after')) >= 1);

  world.address = '10.2.0.1';
  for (let account = 0; account < 10; account++) {
    await world.account(`a${account}`);
    const session = await world.session(`a${account}`);
    for (let count = 0; count < 5; count++) await world.post(LOOKUP, guess, session);
  }
  await world.account('last');
  const last = await world.session('last');
  t.equal((await world.post(LOOKUP, guess, last)).status, 429, 'fifty of an address');
  world.nowMs += 2_000_000;
  const later = await begin(world);
  t.equal((await world.post(LOOKUP, { user_code: later.code }, jane)).status, 200, 'it ends');
});

t.test('login codes: own valid codes do not reset the limit of wrong ones', async (t) => {
  const world = await accessWorld(t);
  await world.account('mallory');
  const mallory = await world.session('mallory');
  const { code } = await begin(world);
  const statuses: number[] = [];
  for (let count = 0; count < 7; count++) {
    world.address = `10.1.0.${count}`;
    statuses.push((await world.post(LOOKUP, { user_code: 'BBBB-BBBB' }, mallory)).status);
    if (count < 5) {
      const own = await world.post(LOOKUP, { user_code: code }, mallory);
      // After the fifth wrong code, a right one has to wait as well.
      t.equal(own.status, count < 4 ? 200 : 429);
    }
  }
  t.strictSame(statuses, [404, 404, 404, 404, 404, 429, 429]);
  world.nowMs += 1_000;
  t.equal((await world.post(LOOKUP, { user_code: code }, mallory)).status, 200);
  t.equal((await world.post(DECISION, approve(code), mallory)).status, 204, 'a right one lengthens no wait');
});

t.test('login codes: only a session with its CSRF token decides', async (t) => {
  const world = await accessWorld(t);
  const id = await world.account('jane', { isStaff: true });
  const { code } = await begin(world);
  const { cookie = '' } = await world.session('jane');
  const callers = [{}, { cookie }, { cookie, 'x-csrftoken': 'guessed' }, await world.token(id, 'admin')];
  const expected = [401, 403, 403, 403];
  for (const [index, headers] of callers.entries()) {
    for (const target of [LOOKUP, DECISION]) {
      const { status } = await world.post(
        target,
        target === LOOKUP ? { user_code: code } : approve(code),
        headers,
      );
      t.equal(status, expected[index], `${target} ${index}`);
    }
  }
  const foreign = { ...(await world.session('jane')), origin: 'https://evil.example' };
  t.equal((await world.post(DECISION, approve(code), foreign)).status, 403, 'a page of another origin');
  t.strictSame(await world.store.rows('select id from login_code where decided is not null'), []);
});

t.test('login codes: the number of waiting codes is limited, even for concurrent requests', async (t) => {
  const world = await accessWorld(t);
  const answers = await Promise.all(Array.from({ length: 8 }, () => world.post(CODES, {})));
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 429, 429, 429]);
  world.address = '10.0.0.10';
  t.equal((await world.post(CODES, {})).status, 200, 'others are not held up');
  world.address = '10.0.0.9';
  world.nowMs += 600_000;
  t.equal((await world.post(CODES, {})).status, 200);
  t.equal((await world.store.rows('select id from login_code')).length, 1, 'expired ones are gone');
});

t.test('login codes: wrong bodies are refused with every problem', async (t) => {
  const world = await accessWorld(t);
  const { status, json } = await world.post(CODES, { scope: 'root', days: 0 });
  t.equal(status, 400);
  t.strictSame(json.errors.map((problem: { path: string }) => problem.path).sort(), ['days', 'scope']);
  t.equal((await world.post(CODES, { days: 3_651 })).status, 400);
  t.equal((await world.post(TOKEN, { device_code: 'x'.repeat(201) })).status, 400);
  t.match(await poll(world, { device_code: 'guessed' }), { status: 400, json: { code: 'LOGIN_EXPIRED' } });
});

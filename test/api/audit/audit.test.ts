/** `/v6/audit/`, on a real database. */
import t from 'tap';
import { accessWorld } from '../../support/worlds/access-world.ts';

t.test('audit: a row says who did what, when, from where, and how it ended', async (t) => {
  const world = await accessWorld(t);
  const adminId = await world.account('admin', { isStaff: true });
  const janeId = await world.account('jane');
  await world.post('/v6/login/', { username: 'admin', password: 'wrong' });
  await world.post('/v6/login/', { username: 'nobody', password: 'wrong' });
  const admin = await world.session('admin');
  const token = await world.token(janeId, 'write');
  const created = await world.post('/v6/accounts/', { username: 'new' }, admin);
  await world.post('/v6/accounts/', { username: 'new' }, admin);
  await world.call('PATCH', `/v6/accounts/${created.json.id}/`, { first_name: 7 }, admin);
  await world.post('/v6/accounts/', { username: 'other' }, token);
  await world.post('/v6/accounts/', { username: 'other' }, { authorization: 'Bearer wrong' });

  const { json } = await world.get('/v6/audit/?order=at', admin);
  t.match(json.results, [
    { username: 'admin', known_by: 'none', method: 'POST', route: '/v6/login/', status: 401 },
    { username: 'admin', known_by: 'none', status: 200 },
    {
      ...{ account_id: adminId, username: 'admin', known_by: 'session', token_id: null, address: '10.0.0.9' },
      ...{
        method: 'POST',
        route: '/v6/accounts/',
        path: '/v6/accounts/',
        record_id: created.json.id,
        status: 201,
      },
      ...{ request_id: 'request-1', at: new Date(world.nowMs).toISOString() },
    },
    { status: 409, record_id: null },
    { method: 'PATCH', route: '/v6/accounts/{id}/', path: `/v6/accounts/${created.json.id}/`, status: 400 },
  ]);
  t.equal(json.count, 5, 'what is refused before anybody is known, or may, is no write');
  const routes = async (query: string) =>
    (await world.get(`/v6/audit/?order=id&${query}`, admin)).json.results.map(
      (one: { route: string }) => one.route,
    );
  t.same(await routes('username=ADMIN&method=PATCH'), ['/v6/accounts/{id}/']);
  t.same(await routes('route=/v6/accounts/'), ['/v6/accounts/', '/v6/accounts/']);
  t.same(await routes('route=/v6/jobs/'), []);
  t.same(await routes('username=jane'), []);
  t.same(await routes('started=2001-01-01T00:00:00Z&ended=2001-01-02T00:00:00Z'), []);
  t.same((await routes('started=PT1H')).length, 5);
  for (const wrong of ['method=GET', 'started=x', 'order=path', 'page=0']) {
    t.equal((await world.get(`/v6/audit/?${wrong}`, admin)).status, 400, wrong);
  }
});

t.test(
  'audit: a logout has a row for the session that it ends, and for the token that it revokes',
  async (t) => {
    const world = await accessWorld(t);
    await world.account('admin', { isStaff: true });
    const janeId = await world.account('jane');
    const [admin, jane, token] = [
      await world.session('admin'),
      await world.session('jane'),
      await world.token(janeId, 'read'),
    ];
    for (const caller of [jane, jane, token, {}]) {
      t.equal((await world.post('/v6/logout/', {}, caller)).status, 204);
    }
    t.match((await world.get('/v6/audit/?order=id&route=/v6/logout/', admin)).json, {
      count: 2,
      results: [
        { account_id: janeId, username: 'jane', known_by: 'session', token_id: null, status: 204 },
        { account_id: janeId, username: 'jane', known_by: 'token', method: 'POST', path: '/v6/logout/' },
      ],
    });
    await world.store.rows('alter table audit rename to elsewhere');
    t.ok((await world.post('/v6/logout/', {}, admin)).status >= 500);
    await world.store.rows('alter table elsewhere rename to audit');
    t.equal((await world.get('/v6/audit/', admin)).status, 200, 'without a row nobody is logged out');
  },
);

t.test('audit: a write without an audit row is not carried out', async (t) => {
  const world = await accessWorld(t);
  await world.account('admin', { isStaff: true });
  const admin = await world.session('admin');
  await world.store.rows('alter table audit rename to elsewhere');
  const refused = await world.post('/v6/accounts/', { username: 'new' }, admin);
  t.ok(refused.status >= 500);
  t.same(await world.store.rows(`select count(*) as count from account where username = 'new'`), [
    { count: 0 },
  ]);
});

t.test('audit: many rows at once take few statements, each with its own outcome', async (t) => {
  const world = await accessWorld(t);
  await world.account('admin', { isStaff: true });
  const admin = await world.session('admin');
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      world.post('/v6/accounts/', { username: index % 2 === 0 ? `name-${index}` : 'not a name' }, admin),
    ),
  );
  const entries = (await world.entries()).filter((entry) => entry.route === '/v6/accounts/');
  t.equal(entries.length, 60);
  const made = entries.filter((entry) => entry.status === 201);
  t.equal(made.length, 30);
  const rows = await world.store.rows<{ id: number }>(`select id from account where username like 'name-%'`);
  t.same(made.map((entry) => entry.record_id).sort(), rows.map((row) => row.id).sort());
});

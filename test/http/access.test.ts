/** Who may call what: every route that is served, called by every sort of caller. A new route is in it at once. */

import t, { type Test } from 'tap';
import { CONSOLE_PATHS } from '../../src/api/console/console-routes.ts';
import { serviceRoutes } from '../../src/api/service.ts';
import type { Access } from '../../src/domain/access.ts';
import { AppError } from '../../src/domain/errors.ts';
import { accessOf, type Route } from '../../src/http/route.ts';
import { endSession } from '../../src/store/account/access-tokens.ts';
import type { Answer } from '../support/http.ts';
import { type AccessWorld, accessWorldOf, DAY_MS } from '../support/worlds/access-world.ts';

const ROUTES: readonly Route<never>[] = serviceRoutes('1.0.0');

/** Calls that are let in find nothing, whichever part they ask. */
const NOTHING: object = new Proxy(() => undefined, {
  get: () => NOTHING,
  apply() {
    throw new AppError('NOT_FOUND', 'there is nothing here');
  },
});
const DEPS = new Proxy({}, { get: (_deps, name) => (name === 'version' ? '1.0.0' : NOTHING) });

type Headers = Record<string, string>;

const worldOf = (t: Test, settings: Parameters<typeof accessWorldOf>[1] = {}) =>
  accessWorldOf(t, settings, ROUTES, () => DEPS as never);

function targetOf(route: Route<never>): string {
  return route.path.replaceAll(/\{\w+\}/g, '1');
}

function call(world: AccessWorld, route: Route<never>, headers: Headers): Promise<Answer> {
  return world.call(route.method, targetOf(route), route.body === undefined ? undefined : {}, headers);
}

type Verdict = 'in' | 401 | 403;

const verdictOf = ({ status }: Answer): Verdict | number => {
  if (status === 401 || status === 403) return status;
  return status < 500 && status !== 429 ? 'in' : status;
};

const LEVELS: readonly Access[] = ['open', 'read', 'write', 'own', 'admin', 'notify', 'scrape'];
const CLOSED = { open: 'in', read: 401, write: 401, own: 401, admin: 401, notify: 401, scrape: 401 } as const;

interface Sort {
  readonly name: string;
  readonly expected: Readonly<Record<Access, Verdict>>;
  headers(world: AccessWorld): Promise<Headers>;
}

const READER = {
  ...CLOSED,
  read: 'in',
  scrape: 'in',
  write: 403,
  own: 403,
  admin: 403,
  notify: 403,
} as const;
const WRITER = { ...READER, write: 'in', notify: 'in' } as const;
const EVERYTHING = { ...WRITER, own: 'in', admin: 'in' } as const;

let names = 0;
const newName = () => `someone-${++names}`;
const staff = (world: AccessWorld) => world.account(newName(), { isStaff: true });
const plain = (world: AccessWorld) => world.account(newName());
const sessionOf = async (world: AccessWorld, isStaff: boolean): Promise<Headers> => {
  const username = newName();
  await world.account(username, { isStaff });
  return world.session(username);
};

const SORTS: readonly Sort[] = [
  { name: 'anonymous', expected: CLOSED, headers: async () => ({}) },
  {
    name: 'an unknown token',
    expected: CLOSED,
    headers: async () => ({ authorization: 'Bearer mlr_nothing' }),
  },
  { name: 'no token after the word', expected: CLOSED, headers: async () => ({ authorization: 'Token ' }) },
  {
    name: 'another scheme',
    expected: CLOSED,
    headers: async () => ({ authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` }),
  },
  {
    name: 'an expired token of staff',
    expected: CLOSED,
    headers: async (world) => world.token(await staff(world), 'admin', world.nowMs),
  },
  {
    name: 'a revoked token of staff',
    expected: CLOSED,
    async headers(world) {
      const headers = await world.token(await staff(world), 'admin');
      await world.store.rows(
        'update access_token set revoked = now() where id = (select max(id) from access_token)',
      );
      return headers;
    },
  },
  {
    name: 'a token of a deactivated staff account',
    expected: CLOSED,
    headers: async (world) =>
      world.token(await world.account(newName(), { isStaff: true, isActive: false }), 'admin'),
  },
  {
    name: 'a wrong token beside a good session',
    expected: CLOSED,
    headers: async (world) => ({ ...(await sessionOf(world, true)), authorization: 'Token nonsense' }),
  },
  {
    name: 'a session that has ended',
    expected: CLOSED,
    async headers(world) {
      const headers = await sessionOf(world, true);
      const [, cookie = ''] = /millrace_session=(.*)$/.exec(headers.cookie ?? '') ?? [];
      const { hashOf } = await import('../../src/auth/credentials.ts');
      await endSession(world.store.db.sql, hashOf(cookie));
      return headers;
    },
  },
  {
    name: 'a session that has expired',
    expected: CLOSED,
    async headers(world) {
      const headers = await sessionOf(world, true);
      await world.store.rows(
        `update login_session set expires = '2000-01-01' where id = (select max(id) from login_session)`,
      );
      return headers;
    },
  },
  {
    name: 'a plain account, read token',
    expected: READER,
    headers: async (world) => world.token(await plain(world), 'read'),
  },
  {
    name: 'a plain account, write token',
    expected: READER,
    headers: async (world) => world.token(await plain(world), 'write'),
  },
  {
    name: 'a plain account, admin token',
    expected: { ...READER, own: 'in' },
    headers: async (world) => world.token(await plain(world), 'admin'),
  },
  {
    name: 'a plain account, session',
    expected: { ...READER, own: 'in' },
    headers: (world) => sessionOf(world, false),
  },
  {
    name: 'staff, read token',
    expected: READER,
    headers: async (world) => world.token(await staff(world), 'read'),
  },
  {
    name: 'staff, write token',
    expected: WRITER,
    headers: async (world) => world.token(await staff(world), 'write'),
  },
  {
    name: 'staff, admin token',
    expected: EVERYTHING,
    headers: async (world) => world.token(await staff(world), 'admin', world.nowMs + DAY_MS),
  },
  { name: 'staff, session', expected: EVERYTHING, headers: (world) => sessionOf(world, true) },
];

t.test('access: every sort of caller may make exactly the calls that its role allows', async (t) => {
  const world = await worldOf(t);
  for (const { name, expected, headers } of SORTS) {
    const shown = await headers(world);
    for (const route of ROUTES) {
      const answer = await call(world, route, shown);
      const access = accessOf(route);
      const at = `${name}: ${route.method} ${route.path} (${access})`;
      if (verdictOf(answer) !== expected[access]) t.equal(verdictOf(answer), expected[access], at);
      if (answer.status !== 401 && answer.status !== 403) continue;
      const { detail, code, errors } = answer.json;
      const isPlain = typeof detail === 'string' && /^(UNAUTHENTICATED|FORBIDDEN)$/.test(code);
      if (!isPlain || errors.length > 0) t.fail(`${at} is refused in other words`);
    }
    t.pass(name);
  }
});

t.test('access: a session needs its CSRF token to write, and not to read', async (t) => {
  const world = await worldOf(t);
  const { cookie = '' } = await sessionOf(world, true);
  const { 'x-csrftoken': other = '' } = await sessionOf(world, true);
  for (const headers of [{ cookie }, { cookie, 'x-csrftoken': '' }, { cookie, 'x-csrftoken': other }]) {
    for (const route of ROUTES) {
      const isFree = route.method === 'GET' || accessOf(route) === 'open';
      const answer = await call(world, route, headers as Headers);
      t.equal(verdictOf(answer), isFree ? 'in' : 403, `${route.method} ${route.path}`);
      if (!isFree) t.match(answer.json.detail, /CSRF/);
    }
  }
});

t.test('access: a refusal without credentials says where to get some', async (t) => {
  const world = await worldOf(t);
  const { status, json } = await world.call('GET', '/v6/jobs/');
  t.equal(status, 401);
  t.match(json.detail, /^Authentication credentials were not provided\. Log in at \/login\//);
  for (const way of ['POST /v6/login/', 'Authorization: Bearer', 'POST /v6/tokens/', 'millrace token create'])
    t.ok(json.detail.includes(way), way);
});

t.test('access: HEAD needs the same role as GET', async (t) => {
  const world = await worldOf(t);
  const token = await world.token(await plain(world), 'read');
  for (const route of ROUTES.filter(({ method }) => method === 'GET')) {
    const isOpen = accessOf(route) === 'open';
    const anonymous = await world.call('HEAD', targetOf(route));
    t.equal(verdictOf(anonymous), isOpen ? 'in' : 401, `HEAD ${route.path}`);
    const reader = await world.call('HEAD', targetOf(route), undefined, token);
    t.equal(verdictOf(reader), READER[accessOf(route)], `HEAD ${route.path}, reading`);
  }
});

t.test('access: without authentication everybody is let in, except with a wrong token', async (t) => {
  const world = await worldOf(t, { isAuthOn: false });
  const reader = await world.token(await plain(world), 'read');
  for (const route of ROUTES) {
    const access = accessOf(route);
    const at = `${route.method} ${route.path}`;
    // Nobody has no profile.
    const expected = route.path.endsWith('/accounts/profile/') ? 401 : 'in';
    t.equal(verdictOf(await call(world, route, {})), expected, at);
    t.equal(
      verdictOf(await call(world, route, { cookie: 'millrace_session=stale' })),
      expected,
      `${at}, stale cookie`,
    );
    const wrong = await call(world, route, { authorization: 'Bearer wrong' });
    t.equal(verdictOf(wrong), access === 'open' ? 'in' : 401, `${at}, wrong token`);
    t.equal(verdictOf(await call(world, route, reader)), READER[access], `${at}, reading token`);
  }
});

t.test('access: notifications with a token of their own are checked by their route', async (t) => {
  const { Secret } = await import('../../src/lib/secret.ts');
  const world = await worldOf(t, { notificationToken: new Secret('x'.repeat(20)) });
  for (const route of ROUTES.filter((route) => accessOf(route) === 'notify')) {
    t.equal(verdictOf(await call(world, route, {})), 'in');
    t.equal(verdictOf(await call(world, route, { authorization: 'Basic eDp5' })), 'in');
  }
});

t.test('access: metrics with a token of their own are checked by their route', async (t) => {
  const { Secret } = await import('../../src/lib/secret.ts');
  const world = await worldOf(t, { metricsToken: new Secret('x'.repeat(20)) });
  const scraped = ROUTES.filter((route) => accessOf(route) === 'scrape');
  for (const route of scraped) t.equal(verdictOf(await call(world, route, {})), 'in');
  const notified = ROUTES.filter((route) => accessOf(route) === 'notify');
  for (const route of notified) t.equal(verdictOf(await call(world, route, {})), 401, 'and nobody else’s');
});

/** The interface as other clients know it. */
const ELSEWHERE = /^\/(api\/|api-token-auth\/)/;

t.test('access: other addresses of a route need the same role as the route', async (t) => {
  const known = new Map(ROUTES.map((route) => [`${route.method} ${route.path}`, accessOf(route)]));
  for (const route of ROUTES.filter(({ path }) => ELSEWHERE.test(path))) {
    const slashed = route.path.endsWith('/') ? route.path : `${route.path}/`;
    const same = known.get(`${route.method} ${slashed.replace(/^\/api/, '')}`);
    const access = accessOf(route);
    if (access !== 'open')
      t.ok(same === undefined || access === same, `${route.method} ${route.path}: ${access}`);
    else t.ok(same === 'open' || /login|api-token-auth/.test(route.path), `${route.path} is open`);
  }
});

t.test('access: only these routes need another role than their method implies', async (t) => {
  const others = ROUTES.filter((route) => route.access !== undefined && !ELSEWHERE.test(route.path));
  const listed = (access: Access) =>
    others.filter((route) => route.access === access).map(({ method, path }) => `${method} ${path}`);
  t.same(Object.fromEntries(LEVELS.map((access) => [access, listed(access).sort()])), {
    open: [
      ...[...CONSOLE_PATHS, '/console/', '/console/assets/{name}'].map((path) => `GET ${path}`).sort(),
      'GET /docs/',
      'GET /docs/guide/',
      'GET /docs/guide/console-file.png',
      'GET /docs/guide/console-flow.png',
      'GET /docs/guide/console-grid.png',
      'GET /docs/guide/console-job.png',
      'GET /docs/guide/console-overview.png',
      'GET /docs/guide/console-recipe.png',
      'GET /docs/guide/rooms.svg',
      'GET /docs/guide/search.json',
      'GET /docs/guide/watch.svg',
      'GET /docs/guide/{page}/',
      'GET /login/',
      'GET /login/code/',
      'GET /v6/',
      'GET /v6/login/openid/',
      'GET /v6/login/openid/callback/',
      'GET /v6/openapi.json',
      'GET /v6/ready/',
      'GET /v6/version/',
      'POST /v6/login/',
      'POST /v6/login/codes/',
      'POST /v6/login/codes/token/',
      'POST /v6/logout/',
    ],
    read: ['POST /v6/scans/{id}/test/', 'POST /v6/strikes/{id}/test/'],
    write: ['GET /v6/workspaces/{name}/unrecorded/', 'GET /v6/workspaces/{name}/uploads/{upload}/'],
    own: [
      'DELETE /v6/saved-filters/{id}/',
      'DELETE /v6/tokens/{id}/',
      'GET /v6/saved-filters/',
      'GET /v6/tokens/',
      'GET /v6/tokens/{id}/',
      'POST /v6/accounts/{id}/password/',
      'POST /v6/login/codes/decision/',
      'POST /v6/login/codes/lookup/',
      'POST /v6/saved-filters/',
      'POST /v6/tokens/',
    ],
    admin: [
      'GET /v6/accounts/',
      'GET /v6/accounts/{id}/',
      'GET /v6/audit/',
      'PATCH /v6/accounts/{id}/',
      'POST /v6/accounts/',
    ],
    notify: ['POST /v6/notifications/{queue_name}/'],
    scrape: ['GET /metrics'],
  });
});

t.test('access: every permitted write leaves an audit row; reads and validations leave none', async (t) => {
  const world = await worldOf(t);
  const headers = await world.token(await staff(world), 'admin');
  for (const route of ROUTES) await call(world, route, headers);
  const writes = ROUTES.filter(
    (route) =>
      route.method !== 'GET' &&
      route.bodyRule !== 'reported' &&
      !['open', 'notify'].includes(accessOf(route)),
  );
  const entries = await world.entries();
  t.same(
    entries.map(({ method, route, path }) => `${method} ${route} ${path}`).sort(),
    writes.map((route) => `${route.method} ${route.path} ${targetOf(route)}`).sort(),
  );
  for (const { status, known_by: knownBy } of entries)
    t.match({ status, knownBy }, { status: Number, knownBy: 'token' });
});

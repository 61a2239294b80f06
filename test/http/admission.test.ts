/** Who may speak to the service: Host and Origin. */
import t from 'tap';
import { makeCaller } from '../support/http.ts';
import { makeThings } from '../support/things.ts';

t.test('admission: the Host must be allowed, and writes must not come from other origins', async (t) => {
  const { get, call } = makeThings();
  for (const host of [
    'localhost',
    'localhost:1',
    '127.0.0.1:8080',
    '127.1.2.3',
    '[::1]:8080',
    'a.localhost',
    'LOCALHOST',
  ]) {
    t.equal((await get('/v6/things/5/', { host })).status, 200, host);
  }
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '1127.0.0.1',
  ]) {
    t.match(await get('/v6/things/5/', { host }), { status: 403, json: { code: 'HOST_NOT_ALLOWED' } }, host);
  }
  for (const host of ['', 'a b', 'localhost/x', 'user@localhost', 'localhost:x', 'localhost:1:2']) {
    t.equal((await get('/v6/things/5/', { host })).status, 400, host);
  }
  const write = (headers: Record<string, string>) => call('POST', '/v6/things/cancel/7/', undefined, headers);
  t.equal((await write({ origin: 'http://localhost:8080' })).status, 202);
  t.equal((await write({ host: 'localhost', origin: 'http://localhost:80' })).status, 202);
  for (const origin of ['http://evil.example', 'null', 'http://localhost:8081', 'http://localhost', 'x']) {
    t.match(await write({ origin }), { status: 403, json: { code: 'FORBIDDEN' } }, origin);
  }
  t.equal((await write({ 'sec-fetch-site': 'cross-site' })).status, 403);
  t.equal(
    (await get('/v6/things/5/', { origin: 'http://evil.example' })).status,
    200,
    'reads are guarded by Host alone',
  );

  const { get: getNamed } = makeCaller([], {}, { hosts: new Set(['mill.example']) });
  t.equal((await getNamed('/', { host: 'mill.example:8080' })).status, 404);
});

t.test('admission: pages of origins that the settings allow may change things', async (t) => {
  const options = { hosts: new Set(['mill.example']), origins: new Set(['http://mill.example:8081']) };
  const { call } = makeThings(options);
  // As a proxy sends it that drops the port.
  const host = 'mill.example';
  const write = (headers: Record<string, string>) => call('POST', '/v6/things/cancel/7/', undefined, headers);
  t.equal((await write({ host, origin: 'http://mill.example:8081' })).status, 202);
  t.equal((await write({ host, origin: 'HTTP://Mill.example:8081' })).status, 202);
  for (const origin of [
    'http://mill.example:8082',
    'https://mill.example:8081',
    'http://mill.example.evil.example:8081',
    'http://mill.example:8081@evil.example',
    'null',
    'undefined',
  ]) {
    const refused = await write({ host, origin });
    t.match(
      refused,
      { status: 403, json: { code: 'FORBIDDEN', detail: /MILLRACE_ALLOWED_ORIGINS/ } },
      origin,
    );
  }
  const placeOf = async (headers: Record<string, string>) =>
    (await call('POST', '/v6/things/', { title: 'x' }, headers)).headers.get('location');
  t.equal(await placeOf({ host }), 'http://mill.example:8081/v6/things/7/', 'what browsers call the service');
  const asked = 'mill.example:9';
  t.equal(await placeOf({ host: asked }), `http://${asked}/v6/things/7/`, 'a port that was asked is kept');
});

t.test('admission: if several origins share a name, the origin of the calling page is used', async (t) => {
  const origins = new Set(['http://mill.example:8081', 'https://mill.example:8443', 'https://other.example']);
  const { call } = makeThings({ hosts: new Set(['mill.example']), origins });
  for (const [origin, base] of [
    ['http://mill.example:8081', 'http://mill.example:8081'],
    ['https://mill.example:8443', 'https://mill.example:8443'],
    ['https://other.example', 'http://mill.example:8081'],
    [undefined, 'http://mill.example:8081'],
  ] as const) {
    const headers = { host: 'mill.example', ...(origin === undefined ? {} : { origin }) };
    const { status, headers: told } = await call('POST', '/v6/things/', { title: 'x' }, headers);
    t.equal(status, 201, String(origin));
    t.equal(told.get('location'), `${base}/v6/things/7/`, String(origin));
  }
});

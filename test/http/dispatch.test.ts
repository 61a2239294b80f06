/** The conventions of the interface, through `dispatch`: what every route answers alike. */
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { defineRoute, reply } from '../../src/http/route.ts';
import { document, NO_BODY, pageOf } from '../../src/http/schema.ts';
import { makeCaller } from '../support/http.ts';
import { makeThings } from '../support/things.ts';

t.test('dispatch: the route is chosen by path and method', async (t) => {
  const { get, call } = makeThings();

  t.match(await get('/v6/things/5/'), { status: 200, json: { id: 5 } });
  t.match(
    await get('/v6/things/status/'),
    { status: 200, text: 'fine' },
    'a literal goes before a parameter',
  );
  t.match(await get('/v6/names/a%2Fb%20%C3%A9/'), { json: { name: 'a/b é' } }, 'parameters are decoded');
  t.match(await get('/v6/nothing/'), { status: 404, json: { code: 'ROUTE_NOT_FOUND', errors: [] } });
  t.match(await get('/v5/things/5/'), { status: 404 });
  t.match(await get('//v6/things/5/'), { status: 404 });
  for (const wrong of ['0', '-1', 'abc', '1.5', '9007199254740992', '99999999999999999999', '1e3', '%00']) {
    const { status } = await get(`/v6/things/${wrong}/`);
    t.equal(status, wrong === '%00' ? 400 : 404, `id ${wrong}`);
  }
  t.match(await get('/v6/names/%E0%A4%A/'), { status: 400 }, 'malformed percent-encoding');
  t.match(await get('/v6/names/%C0%80/'), { status: 400 }, 'overlong UTF-8');
  t.match(await get('/v6/names/a%00/'), { status: 400, json: { detail: /or has a NUL character$/ } });

  const notAllowed = await call('DELETE', '/v6/things/5/');
  t.match(notAllowed, { status: 405, json: { code: 'METHOD_NOT_ALLOWED' } });
  t.equal(notAllowed.headers.get('allow'), 'GET, PATCH, HEAD, OPTIONS');
  t.equal((await call('POST', '/v6/things/status/')).status, 405, 'no fall-through to a parameter');
  t.equal((await call('BREW', '/v6/things/5/')).status, 405);
  const options = await call('OPTIONS', '/v6/things/');
  t.match([options.status, options.headers.get('allow')], [204, 'POST, OPTIONS']);
  t.equal((await call('HEAD', '/v6/things/5/')).status, 200);
  t.equal((await call('HEAD', '/v6/things/')).status, 405);
});

t.test('dispatch: without the final slash a read is redirected, and a write is served', async (t) => {
  const { get, call } = makeThings();
  const redirect = await get('/v6/things/5?a=1&b=%20');
  t.match([redirect.status, redirect.headers.get('location')], [301, '/v6/things/5/?a=1&b=%20']);
  t.equal((await call('HEAD', '/v6/things/5')).headers.get('location'), '/v6/things/5/');
  t.equal(
    (await call('POST', '/v6/things', { title: 'x' })).status,
    201,
    'writes are taken as if it were there',
  );
  t.equal((await get('/v6/nothing')).status, 404);
});

t.test('dispatch: every answer forbids caching and sniffing, and names the request', async (t) => {
  const { get } = makeThings();
  for (const target of ['/v6/things/5/', '/v6/nothing/', '/v6/things/5']) {
    const { headers } = await get(target);
    t.equal(headers.get('cache-control'), 'no-store');
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('x-request-id'), 'request-1');
  }
});

t.test('dispatch: a created record comes with its absolute location', async (t) => {
  const { call } = makeThings();
  const created = await call('POST', '/v6/things/', { title: 'x' });
  t.equal(created.headers.get('location'), 'http://localhost:8080/v6/things/7/');
  t.equal((await call('PATCH', '/v6/things/7/', {})).text, '');
  t.equal(
    (await call('POST', '/v6/things/cancel/7/')).status,
    202,
    'no body is needed where none is declared',
  );
});

t.test('dispatch: requests beyond the limit are answered 503', async (t) => {
  let release = () => {};
  let begun = Promise.withResolvers<void>();
  const wait = defineRoute({
    method: 'GET',
    path: '/wait/',
    summary: 'Waits',
    replies: { 204: NO_BODY },
    async handle() {
      await new Promise<void>((resolve) => {
        release = resolve;
        begun.resolve();
      });
      return reply(204);
    },
  });
  const { get } = makeCaller([wait], {}, { requestsMax: 1 });
  const first = get('/wait/');
  await begun.promise;
  t.match(await get('/wait/'), { status: 503, json: { code: 'OVERLOADED' } });
  release();
  t.equal((await first).status, 204);
  begun = Promise.withResolvers<void>();
  const next = get('/wait/');
  await begun.promise;
  release();
  t.equal((await next).status, 204);
});

t.test(
  'dispatch: the refusal of a body of a wrong form also lists the problems of its documents',
  async (t) => {
    const asked: unknown[] = [];
    const make = defineRoute({
      method: 'POST',
      path: '/make/',
      summary: 'Makes',
      body: Type.Object({ title: Type.String(), inner: document() }),
      async documentProblems(raw) {
        asked.push(raw);
        return ['inner', 'inner.a'].map((path) => ({ name: 'BAD', description: 'is bad', path }));
      },
      replies: { 204: NO_BODY },
      handle: () => reply(204),
    });
    const { call } = makeCaller([make], {});
    const paths = async (body: unknown): Promise<string[]> => {
      const { json } = await call('POST', '/make/', body);
      return json.errors.map((error: { path: string }) => error.path);
    };
    t.strictSame(await paths({ title: 1, inner: { a: 1 } }), ['title', 'inner', 'inner.a']);
    t.strictSame(await paths({ inner: 1 }), ['title', 'inner', 'inner.a'], 'each place once');
    t.strictSame(asked, [{ title: 1, inner: { a: 1 } }, { inner: 1 }]);
    t.equal((await call('POST', '/make/', { title: 'x', inner: {} })).status, 204);
    t.equal(asked.length, 2, 'a right form is the handler’s business alone');
  },
);

t.test('dispatch: a reply that its route does not declare is a 500', async (t) => {
  const wrong = defineRoute({
    method: 'GET',
    path: '/wrong/',
    summary: 'Wrong',
    replies: { 200: Type.Object({ id: Type.Integer() }) },
    handle: () => reply(200, { id: 'x' as unknown as number }),
  });
  const more = defineRoute({
    method: 'GET',
    path: '/more/',
    summary: 'More',
    replies: { 200: pageOf(Type.Object({ id: Type.Integer() })) },
    handle: () => reply(200, { count: 1, next: null, previous: null, results: [{ id: 1, secret: 'x' }] }),
  });
  const { get } = makeCaller([wrong, more], {});
  t.equal((await get('/wrong/')).status, 500);
  t.equal((await get('/more/')).status, 500);
});

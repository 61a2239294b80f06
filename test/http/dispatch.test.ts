/** The conventions of the interface, through `dispatch`: what every route refuses and answers alike. */
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { AppError } from '../../src/domain/errors.ts';
import { pathId, pathText } from '../../src/http/path-parameters.ts';
import { defineRoute, defineValidation, reply } from '../../src/http/route.ts';
import { document, id, NO_BODY, oneOf, orNull, textReply } from '../../src/http/schema.ts';
import { KernelError } from '../../src/kernel/mod.ts';
import { makeCaller } from '../support/http.ts';

const Thing = Type.Object({
  title: Type.String({ minLength: 1, maxLength: 50 }),
  count: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  mode: Type.Optional(oneOf(['FIFO', 'LIFO'])),
  base_url: Type.Optional(orNull(Type.String())),
  configuration: Type.Optional(document()),
  rules: Type.Optional(Type.Array(Type.Object({ regex: Type.String() }), { maxItems: 3 })),
});

function makeThings() {
  const failure: { error: unknown } = { error: undefined };
  const create = defineRoute({
    method: 'POST',
    path: '/v6/things/',
    summary: 'Create',
    body: Thing,
    replies: { 201: Type.Object({ id: id(), body: Type.Unknown(), warnings: Type.Array(Type.Unknown()) }) },
    handle: ({ body, warnings }) =>
      reply(201, { id: 7, body, warnings: [...warnings] }, { location: '/v6/things/7/' }),
  });
  const get = defineRoute({
    method: 'GET',
    path: '/v6/things/{id}/',
    summary: 'One',
    params: { id: pathId },
    replies: { 200: Type.Object({ id: id() }) },
    handle: ({ params }) => reply(200, { id: params.id }),
  });
  const edit = defineRoute({
    method: 'PATCH',
    path: '/v6/things/{id}/',
    summary: 'Edit',
    params: { id: pathId },
    body: Type.Object({ is_paused: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
    replies: { 204: NO_BODY },
    handle: () => reply(204),
  });
  const process = defineRoute({
    method: 'POST',
    path: '/v6/things/{id}/process/',
    summary: 'Process',
    params: { id: pathId },
    body: Type.Object({ ingest: Type.Optional(Type.Boolean()) }),
    isBodyOptional: true,
    replies: { 200: Type.Object({ ingest: Type.Boolean() }) },
    handle: ({ body }) => reply(200, { ingest: body.ingest ?? false }),
  });
  const cancel = defineRoute({
    method: 'POST',
    path: '/v6/things/cancel/{id}/',
    summary: 'Cancel',
    params: { id: pathId },
    replies: { 202: NO_BODY },
    handle: () => reply(202),
  });
  const status = defineRoute({
    method: 'GET',
    path: '/v6/things/status/',
    summary: 'Status',
    replies: { 200: textReply('text/plain; charset=utf-8') },
    handle: () => reply(200, 'fine'),
  });
  const named = defineRoute({
    method: 'GET',
    path: '/v6/names/{name}/',
    summary: 'By name',
    params: { name: pathText },
    replies: { 200: Type.Object({ name: Type.String() }) },
    handle: ({ params }) => reply(200, { name: params.name }),
  });
  const fail = defineRoute({
    method: 'GET',
    path: '/v6/fail/',
    summary: 'Fails',
    replies: { 204: NO_BODY },
    handle: () => {
      throw failure.error;
    },
  });
  const validate = defineValidation({
    path: '/v6/things/validation/',
    summary: 'Check',
    of: Thing,
    handle: ({ raw }) => ({
      errors: raw.title === 'bad' ? [{ name: 'BAD', description: 'is bad', path: 'title' }] : [],
      warnings: [],
    }),
  });
  const routes = [create, get, edit, process, cancel, status, named, fail, validate];
  return { failure, ...makeCaller(routes, {}) };
}

t.test('dispatch: paths and methods', async (t) => {
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

t.test('dispatch: the final slash', async (t) => {
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

t.test('dispatch: every problem of a body is listed at its path', async (t) => {
  const { call } = makeThings();
  const answer = await call('POST', '/v6/things/', {
    title: '',
    count: 11,
    mode: 'RANDOM',
    configuration: 'text',
    rules: [{ regex: 'a' }, { regex: 5 }, {}],
  });
  t.equal(answer.status, 400);
  t.match(answer.json, { code: 'INVALID_REQUEST', detail: /and 5 more/ });
  t.strictSame(answer.json.errors.map((error: { path: string }) => error.path).sort(), [
    'configuration',
    'count',
    'mode',
    'rules[1].regex',
    'rules[2].regex',
    'title',
  ]);
  t.match(
    answer.json.errors.find((error: { path: string }) => error.path === 'mode'),
    {
      name: 'NOT_ALLOWED',
      description: 'must be one of: FIFO, LIFO',
    },
  );
  t.match((await call('POST', '/v6/things/', {})).json.errors, [{ name: 'MISSING_FIELD', path: 'title' }]);
});

t.test('dispatch: null counts as absent, unless the schema knows it', async (t) => {
  const { call } = makeThings();
  const body = { title: 'x', count: null, base_url: null, configuration: { a: null } };
  const { json } = await call('POST', '/v6/things/', body);
  t.strictSame(json.body, { title: 'x', base_url: null, configuration: { a: null } });
  t.match((await call('POST', '/v6/things/', { title: null })).json.errors, [{ name: 'MISSING_FIELD' }]);
});

t.test(
  'dispatch: unknown fields are ignored with a warning, or refused where the route says so',
  async (t) => {
    const { call } = makeThings();
    const { json } = await call('POST', '/v6/things/', {
      title: 'x',
      extra: 1,
      constructor: { a: 1 },
      toString: 2,
    });
    t.strictSame(json.body, { title: 'x' });
    t.strictSame(
      json.warnings.map((warning: { path: string }) => warning.path),
      ['extra', 'constructor', 'toString'],
    );

    const refused = await call('PATCH', '/v6/things/7/', { is_paused: true, extra: 1, constructor: 2 });
    t.match(refused, {
      status: 400,
      json: { errors: [{ name: 'UNKNOWN_FIELD', path: 'extra' }, { path: 'constructor' }] },
    });
  },
);

t.test('dispatch: no body makes a 500', async (t) => {
  const { call, log } = makeThings();
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const bodies: readonly [string, string | Uint8Array][] = [
    ['nothing', ''],
    ['no JSON', '{'],
    ['an array', '[]'],
    ['a text', '"a"'],
    ['null', 'null'],
    ['NUL', '{"title": "a\\u0000b"}'],
    ['half a surrogate pair', '{"title": "\\ud800"}'],
    ['NUL in a key', '{"title": "x", "configuration": {"\\u0000": 1}}'],
    ['NUL within an open document', '{"title": "x", "configuration": {"a": ["\\u0000"]}}'],
    ['__proto__', '{"title": "x", "configuration": {"__proto__": {"a": 1}}}'],
    ['no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['a huge number', '{"title": "x", "count": 1e400}'],
    ['a number beyond int8', '{"title": "x", "count": 99999999999999999999}'],
    ['deep nesting', deep],
    ['deep nesting in an open document', `{"title": "x", "configuration": ${deep}}`],
    ['100,000 bad items', JSON.stringify({ title: 'x', rules: Array.from({ length: 100_000 }, () => 1) })],
  ];
  for (const [what, body] of bodies) {
    const type = { 'content-type': 'application/json' };
    const { status, json } = await call('POST', '/v6/things/', body, type);
    t.equal(status, 400, what);
    t.type(json.detail, 'string');
    t.ok(json.errors.length <= 1_001);
  }
  t.strictSame(
    log.filter((line) => line.level === 'error'),
    [],
  );
  const quoted = await call('POST', '/v6/things/', '{"secret_access_key": hunter2}');
  t.notMatch(quoted.text, /hunter2/, 'what was sent is not repeated');
});

t.test('dispatch: bodies are application/json in UTF-8, within the limit', async (t) => {
  const { call } = makeThings();
  const post = (type: string, extra = {}) =>
    call('POST', '/v6/things/', { title: 'x' }, { 'content-type': type, ...extra });
  t.equal((await post('application/json; charset=utf-8')).status, 201);
  t.equal((await post('Application/JSON;charset="UTF-8"')).status, 201);
  for (const type of [
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
  ]) {
    t.match(await post(type), { status: 415, json: { code: 'UNSUPPORTED_MEDIA_TYPE' } }, type);
  }
  t.equal((await post('application/json', { 'content-encoding': 'gzip' })).status, 415);
  t.match(await post('application/json', { 'content-length': '1000001' }), {
    status: 413,
    json: { code: 'TOO_LARGE' },
  });
});

t.test('dispatch: an optional body may be left out', async (t) => {
  const { call } = makeThings();
  t.strictSame((await call('POST', '/v6/things/7/process/')).json, { ingest: false });
  t.strictSame((await call('POST', '/v6/things/7/process/', { ingest: true })).json, { ingest: true });
  t.equal((await call('POST', '/v6/things/7/process/', { ingest: 'yes' })).status, 400);
});

t.test('dispatch: validation answers 200 for every JSON object, with all that is wrong', async (t) => {
  const { call } = makeThings();
  const check = async (body: unknown) => await call('POST', '/v6/things/validation/', body);
  t.strictSame((await check({ title: 'x' })).json, { is_valid: true, errors: [], warnings: [] });
  t.match(await check({ title: 'bad', count: -1, extra: 1 }), {
    status: 200,
    json: {
      is_valid: false,
      errors: [
        { name: 'OUT_OF_RANGE', path: 'count' },
        { name: 'BAD', path: 'title' },
      ],
      warnings: [{ name: 'UNKNOWN_FIELD', path: 'extra' }],
    },
  });
  t.match(await check('{"title": "a\\u0000"}'), { status: 200, json: { is_valid: false } });
  t.match(await check(`{"title": "x", "configuration": ${'['.repeat(200)}${']'.repeat(200)}}`), {
    status: 200,
    json: { is_valid: false },
  });
  for (const body of ['[]', 'null', '1', '{', '']) {
    t.equal(
      (await call('POST', '/v6/things/validation/', body, { 'content-type': 'application/json' })).status,
      400,
    );
  }
});

t.test('dispatch: Host must be ours, and writes must not come from other origins', async (t) => {
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

t.test('dispatch: expected failures carry their code, unexpected ones only the request id', async (t) => {
  const { failure, get, log } = makeThings();
  failure.error = new AppError('STATE_CONFLICT', 'already launched', { secret: 'x' });
  const conflict = await get('/v6/fail/');
  t.strictSame(conflict.json, { detail: 'already launched', code: 'STATE_CONFLICT', errors: [] });
  t.equal(conflict.status, 409);

  const errors = [{ name: 'A', description: 'b', path: 'c' }];
  failure.error = new AppError('INVALID_CONFIGURATION', 'no', { errors });
  t.match(await get('/v6/fail/'), { status: 400, json: { errors } });

  failure.error = new AppError('STORE_UNAVAILABLE', 'try again');
  const unavailable = await get('/v6/fail/');
  t.equal(unavailable.status, 503);
  t.match(unavailable.headers.get('retry-after'), /^\d+$/);
  t.strictSame(
    log.filter((line) => line.level === 'error'),
    [],
    'expected failures are no errors of ours',
  );

  failure.error = new Error('password=hunter2');
  const unexpected = await get('/v6/fail/');
  t.match(unexpected, { status: 500, json: { code: 'INTERNAL', detail: /request-1/ } });
  t.notMatch(unexpected.text, /hunter2/);
  t.match(
    log.find((line) => line.level === 'error'),
    { fields: { request_id: 'request-1', error: failure.error } },
  );
});

t.test("dispatch: what the kernel and its actors refuse has the catalogue's codes", async (t) => {
  const { failure, get } = makeThings();
  const cases = [
    ['MAILBOX_FULL', 503, 'MAILBOX_FULL'],
    ['DEADLINE', 503, 'DEADLINE_EXCEEDED'],
    ['NOT_OWNER', 503, 'OWNER_UNAVAILABLE'],
    ['UNAVAILABLE', 503, 'OWNER_UNAVAILABLE'],
    ['STOPPING', 503, 'SHUTTING_DOWN'],
    ['CONFLICT', 409, 'CONFLICT'],
    ['STATE_CONFLICT', 409, 'STATE_CONFLICT'],
    ['HANDLER_FAILED', 500, 'INTERNAL'],
    ['NO_SUCH_CODE', 500, 'INTERNAL'],
  ] as const;
  for (const [kernelCode, status, code] of cases) {
    failure.error = new KernelError({ code: kernelCode, message: 'x' });
    const answer = await get('/v6/fail/');
    t.match(answer, { status, json: { code } }, kernelCode);
    t.equal(answer.headers.has('retry-after'), status === 503);
  }
});

t.test('dispatch: requests beyond the limit are answered 503', async (t) => {
  let release = () => {};
  const wait = defineRoute({
    method: 'GET',
    path: '/wait/',
    summary: 'Waits',
    replies: { 204: NO_BODY },
    async handle() {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return reply(204);
    },
  });
  const { get } = makeCaller([wait], {}, { requestsMax: 1 });
  const first = get('/wait/');
  t.match(await get('/wait/'), { status: 503, json: { code: 'OVERLOADED' } });
  release();
  t.equal((await first).status, 204);
  const next = get('/wait/');
  release();
  t.equal((await next).status, 204);
});

t.test('dispatch: a reply that its route does not declare is our failure', async (t) => {
  const wrong = defineRoute({
    method: 'GET',
    path: '/wrong/',
    summary: 'Wrong',
    replies: { 200: Type.Object({ id: Type.Integer() }) },
    handle: () => reply(200, { id: 'x' as unknown as number }),
  });
  const { get } = makeCaller([wrong], {});
  t.equal((await get('/wrong/')).status, 500);
});

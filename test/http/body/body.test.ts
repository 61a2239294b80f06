/** Bodies through `dispatch`: their form, every problem of them, and what no body may cause. */
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { checkBody } from '../../../src/http/body/body.ts';
import { orNull } from '../../../src/http/schema.ts';
import { makeThings } from '../../support/things.ts';

t.test('body: every problem of a body is listed at its path', async (t) => {
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

t.test('body: null counts as absent, unless the schema knows it', async (t) => {
  const { call } = makeThings();
  const body = { title: 'x', count: null, base_url: null, configuration: { a: null } };
  const { json } = await call('POST', '/v6/things/', body);
  t.strictSame(json.body, { title: 'x', base_url: null, configuration: { a: null } });
  t.match((await call('POST', '/v6/things/', { title: null })).json.errors, [{ name: 'MISSING_FIELD' }]);
});

t.test('body: unknown fields are refused with the nearest known field, or with all known ones', async (t) => {
  const { call } = makeThings();
  const body = {
    title: 'x',
    tilte: 'y',
    rules: [{ regex: 'a', rgex: 'b' }],
    constructor: { a: 1 },
    toString: 2,
  };
  const { status, json } = await call('POST', '/v6/things/', body);
  t.equal(status, 400);
  t.strictSame(json.errors, [
    { name: 'UNKNOWN_FIELD', description: `is not known here; did you mean 'title'?`, path: 'tilte' },
    { name: 'UNKNOWN_FIELD', description: `is not known here; did you mean 'regex'?`, path: 'rules[0].rgex' },
    ...['constructor', 'toString'].map((path) => ({
      name: 'UNKNOWN_FIELD',
      description: 'is not known here; known are: title, count, mode, base_url, configuration, rules',
      path,
    })),
  ]);
  t.equal(json.detail, `tilte: is not known here; did you mean 'title'? (and 3 more)`);
  t.match(await call('PATCH', '/v6/things/7/', { paused: true }), {
    status: 400,
    json: { errors: [{ path: 'paused', description: `is not known here; did you mean 'is_paused'?` }] },
  });
});

t.test('body: unknown fields are dropped with a warning where anything may be sent', async (t) => {
  const { call } = makeThings({}, '/api');
  const { json } = await call('POST', '/api/v6/things/', {
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
  t.equal((await call('PATCH', '/api/v6/things/7/', { is_paused: true, extra: 1 })).status, 204);
  t.equal((await call('GET', '/api/v6/things/7/?extra=1')).status, 200);
});

t.test('body: no body causes a 500', async (t) => {
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

t.test('body: an integer that a double would round is refused at its path', async (t) => {
  for (const prefix of ['', '/api'] as const) {
    const { call } = makeThings({}, prefix);
    const post = (number: string) => {
      const body = `{"title": "9007199254740993", "configuration": {"a": [1, {"b c": ${number}}]}}`;
      return call('POST', `${prefix}/v6/things/`, body, { 'content-type': 'application/json' });
    };
    const { status, json } = await post('9007199254740993');
    t.equal(status, 400, prefix);
    const description =
      'the value 9007199254740993 cannot be kept exactly: give integers beyond 2^53 as texts';
    t.strictSame(json.errors, [{ name: 'UNUSABLE_VALUE', description, path: 'configuration.a[1]["b c"]' }]);
    for (const number of ['9007199254740992', '-9007199254740992', '1e300', '9223372036854776000', '0.1']) {
      const { status, json } = await post(number);
      t.equal(status, 201, number);
      t.equal(json.body.configuration.a[1]['b c'], Number(number));
    }
  }
});

t.test('body: bodies are application/json in UTF-8, within the limit', async (t) => {
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
  t.match(await post('application/json', { 'content-length': '1048577' }), {
    status: 413,
    json: { code: 'TOO_LARGE', detail: /1048576 bytes/ },
  });
});

t.test('body: an optional body may be left out', async (t) => {
  const { call } = makeThings();
  t.strictSame((await call('POST', '/v6/things/7/process/')).json, { ingest: false });
  t.strictSame((await call('POST', '/v6/things/7/process/', { ingest: true })).json, { ingest: true });
  t.equal((await call('POST', '/v6/things/7/process/', { ingest: 'yes' })).status, 400);
});

t.test('body: validation answers 200 for every JSON object, with all its problems', async (t) => {
  const { call } = makeThings();
  const check = async (body: unknown) => await call('POST', '/v6/things/validation/', body);
  t.strictSame((await check({ title: 'x' })).json, { is_valid: true, errors: [], warnings: [] });
  t.match(await check({ title: 'bad', count: -1, extra: 1 }), {
    status: 200,
    json: {
      is_valid: false,
      errors: [
        { name: 'UNKNOWN_FIELD', path: 'extra' },
        { name: 'OUT_OF_RANGE', path: 'count' },
        { name: 'BAD', path: 'title' },
      ],
      warnings: [],
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

t.test(
  'body: problems of `X | null` are those of X; another union has one problem, that no form fits',
  async (t) => {
    const schema = Type.Object({
      maybe: orNull(Type.Object({ 5: Type.Integer(), list: Type.Array(Type.Integer()) })),
      either: Type.Union([Type.Integer(), Type.Object({ a: Type.Integer() })]),
      open: Type.Object({ a: Type.Integer() }, { additionalProperties: true }),
    });
    const good = { maybe: null, either: { a: 1 }, open: { a: 1, b: null } };
    t.strictSame(checkBody(schema, good), { ok: true, value: good, warnings: [] });
    const checked = checkBody(schema, { maybe: { 5: 'x', list: [1, 'y'] }, either: 'z', open: { a: null } });
    t.match(checked, { ok: false });
    t.strictSame(checked.ok || checked.errors.map(({ name, path }) => `${name} ${path}`), [
      'WRONG_TYPE maybe.5',
      'WRONG_TYPE maybe.list[1]',
      'NOT_ALLOWED either',
      'MISSING_FIELD open.a',
    ]);
  },
);

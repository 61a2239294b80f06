/** How large bodies may be: a property of each route, known before a byte of the body is read or anything is built. */
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { apiRoutes } from '../../../src/api/resources.ts';
import { serviceRoutes } from '../../../src/api/service.ts';
import type { OpenApiOperation } from '../../../src/http/openapi.ts';
import { openApi } from '../../../src/http/openapi.ts';
import { accessOf, defineValidation, type Route } from '../../../src/http/route.ts';
import { makeCaller } from '../../support/http.ts';

const KIB = 1_024;
const FULL_MANIFEST = [
  ...[
    'POST /v6/job-types/',
    'PATCH /v6/job-types/{name}/{version}/',
    'POST /v6/job-types/validation/',
    'POST /v6/job-types/try/',
  ],
];
const LARGE = [
  ...['POST /v6/datasets/', 'POST /v6/datasets/{id}/', 'POST /v6/datasets/validation/'],
  ...['POST /v6/jobs/', 'POST /v6/recipes/', 'POST /v6/recipes/{id}/reprocess/'],
  ...['POST /v6/recipe-types/', 'PATCH /v6/recipe-types/{name}/', 'POST /v6/recipe-types/validation/'],
  ...['POST /v6/batches/', 'PATCH /v6/batches/{id}/', 'POST /v6/batches/validation/'],
];

function expectedMax(route: Route<never>): number {
  const access = accessOf(route);
  if (access === 'open') return 64 * KIB;
  if (access === 'notify') return 256 * KIB;
  const call = `${route.method} ${route.path.replace(/^\/api(?=\/v6\/)/, '')}`;
  return LARGE.includes(call) ? 10_240 * KIB : 1_024 * KIB;
}

function expectedParts({ method, path }: Route<never>): number | undefined {
  const call = `${method} ${path.replace(/^\/api(?=\/v6\/)/, '')}`;
  if (LARGE.includes(call)) return undefined;
  return FULL_MANIFEST.includes(call) ? 50_000 : 20_000;
}

const routes = serviceRoutes('0.0.0') as readonly Route<never>[];
const { dispatcher } = makeCaller(routes, undefined as never);

function headOf({ method, path }: Route<never>, headers: Readonly<Record<string, string>>) {
  return {
    id: 'request-1',
    method,
    path: path.replaceAll(/\{\w+\}/g, '1'),
    query: '',
    headers: new Map(Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers })),
    address: '127.0.0.1',
    signal: new AbortController().signal,
  };
}

t.test('body limits: every route refuses one byte more than it takes, from the head alone', async (t) => {
  const large = routes.filter(({ path, method }) => expectedMax({ path, method } as never) > 1_024 * KIB);
  t.equal(large.length, 2 * LARGE.length, 'each of them under both prefixes');
  // A file that is streamed has a limit of its own, which its handler knows.
  for (const route of routes.filter((one) => one.bodyRule !== 'streamed')) {
    const { method, path, bodyRule } = route;
    const bytesMax = expectedMax(route);
    const fits = dispatcher.prepare(headOf(route, { 'content-length': `${bytesMax}` }));
    t.match(
      fits,
      { kind: 'run', bodyBytesMax: bytesMax, wantsBody: bodyRule !== 'none' },
      `${method} ${path}`,
    );
    const refused = dispatcher.prepare(headOf(route, { 'content-length': `${bytesMax + 1}` }));
    if (refused.kind !== 'answer' || refused.response.body.kind !== 'text') {
      t.fail(`${method} ${path} takes more`);
      continue;
    }
    t.equal(refused.response.status, 413, `${method} ${path}`);
    t.match(JSON.parse(refused.response.body.text), {
      code: 'TOO_LARGE',
      detail: `the body must not be larger than ${bytesMax} bytes`,
    });
    const unannounced = dispatcher.prepare(headOf(route, { 'transfer-encoding': 'chunked' }));
    t.match(unannounced, { kind: 'run', bodyBytesMax: bytesMax }, 'what comes in chunks is held to the same');
  }
});

t.test('body limits: the OpenAPI document states them', async (t) => {
  const own = apiRoutes('0.0.0') as readonly Route<never>[];
  const { paths } = openApi(own, '0.0.0');
  for (const route of own.filter(({ body }) => body !== undefined)) {
    const operation = paths[route.path]?.[route.method.toLowerCase()] as OpenApiOperation;
    const call = `${route.method} ${route.path}`;
    t.equal(operation.requestBody?.['x-bytes-max'], expectedMax(route), call);
    t.equal(operation.requestBody?.['x-parts-max'], expectedParts(route), call);
  }
});

t.test('body limits: a body with too many parts is refused without being parsed', async (t) => {
  const { call } = makeCaller(routes, undefined as never);
  const refused = (partsMax: number) => {
    const parts = `has ${partsMax + 1} parts (members of objects, objects and arrays)`;
    const description = `the document ${parts}, and at most ${partsMax} are taken here`;
    return { name: 'UNUSABLE_VALUE', path: '', description };
  };
  // What is no JSON would be refused for that as soon as it is parsed.
  const parts = (count: number) => `{${'"":'.repeat(count - 1)}`;
  for (const route of routes.filter(({ body, bodyRule }) => body !== undefined && bodyRule !== 'reported')) {
    const { method, path } = route;
    if (expectedMax(route) < 256 * KIB) continue;
    const target = path.replaceAll(/\{\w+\}/g, '1');
    const partsMax = expectedParts(route);
    const parsed = { status: 400, json: { code: 'INVALID_JSON' } };
    t.match(await call(method, target, parts(partsMax ?? 100_000)), parsed, `${method} ${path}`);
    if (partsMax === undefined) continue;
    const more = await call(method, target, parts(partsMax + 1));
    t.match(more, { status: 400, json: { errors: [refused(partsMax)] } }, `${method} ${path}`);
  }
  const validation = defineValidation({
    path: '/check/',
    summary: 'Check',
    body: Type.Object({}),
    handle: () => ({ errors: [], warnings: [] }),
  });
  const reported = await makeCaller([validation], undefined).call('POST', '/check/', parts(20_001));
  t.match(reported, { status: 200, json: { is_valid: false, errors: [refused(20_000)] } });
});

t.test('body limits: a body with too many levels or values is refused without being parsed', async (t) => {
  const { call } = makeCaller(routes, undefined as never);
  for (const path of ['/v6/login/', '/api/v6/login/', '/v6/recipe-types/']) {
    const deep = await call('POST', path, `{"username":${'['.repeat(60_000)}`);
    t.match(
      deep,
      { status: 400, json: { errors: [{ name: 'UNUSABLE_VALUE', path: /^username\[0\]/ }] } },
      path,
    );
    t.equal(deep.json.errors.length, 1, 'nothing else is said of it');
  }
  const many = await call('POST', '/v6/recipe-types/', `{"title":[${'1,'.repeat(3_000_000)}`);
  t.match(many, {
    status: 400,
    json: { errors: [{ name: 'UNUSABLE_VALUE', path: '', description: /500000/ }] },
  });
  const array = await call('POST', '/v6/recipe-types/validation/', '['.repeat(9_000_000));
  t.match(array, { status: 400, json: { errors: [{ name: 'WRONG_TYPE' }] } }, 'it is no object');
  const validation = defineValidation({
    path: '/check/',
    summary: 'Check',
    body: Type.Object({ a: Type.Array(Type.Integer()) }),
    hasLargeBody: true,
    handle: () => ({ errors: [], warnings: [] }),
  });
  const checker = makeCaller([validation], undefined);
  const reported = await checker.call('POST', '/check/', `{"a":${'['.repeat(9_000_000)}`);
  t.match(reported, { status: 200, json: { is_valid: false, errors: [{ name: 'UNUSABLE_VALUE' }] } });
});

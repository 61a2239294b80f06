/** The OpenAPI document: complete, consistent with what is served, and sound as a document. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import type { ApiParts } from '../../src/api/parts.ts';
import { apiRoutes } from '../../src/api/resources.ts';
import { openApi, openApiInTurns } from '../../src/http/openapi.ts';
import { orderBy } from '../../src/http/request/ordering.ts';
import { paging } from '../../src/http/request/paging.ts';
import { texts } from '../../src/http/request/parameters.ts';
import { pathId } from '../../src/http/request/path-parameters.ts';
import { timeRange } from '../../src/http/request/time-range.ts';
import { defineRoute, defineValidation, reply } from '../../src/http/route.ts';
import { id, NO_BODY, named, pageOf, streamReply } from '../../src/http/schema.ts';
import { makeCaller } from '../support/http.ts';

const Job = named('Job', Type.Object({ id: id('Number of the job.') }));

const list = defineRoute({
  method: 'GET',
  path: '/v6/jobs/',
  summary: 'List jobs',
  query: {
    paging,
    range: timeRange({ isStartRequired: true }),
    order: orderBy(['status'], ['status']),
    name: texts('Names.'),
  },
  replies: { 200: pageOf(Job) },
  handle: () => reply(200, { count: 0, next: null, previous: null, results: [] }),
});
const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/jobs/{id}/',
  summary: 'Edit a job',
  params: { id: pathId },
  body: Type.Object({ priority: Type.Integer() }),
  isBodyOptional: true,
  replies: { 204: NO_BODY },
  handle: () => reply(204),
});
const content = defineRoute({
  method: 'GET',
  path: '/v6/jobs/{id}/content/',
  summary: 'Content',
  params: { id: pathId },
  replies: { 200: streamReply() },
  handle: () => reply(200, { stream: (async function* () {})() }),
});

t.test('openapi: parameters, bodies and replies come from the routes', async (t) => {
  const { paths, components } = openApi([list, edit, content], '1.2.3');
  const parameters = paths['/v6/jobs/']?.get?.parameters ?? [];
  t.strictSame(
    parameters.map(({ name, required }) => `${name}${required ? '!' : ''}`),
    ['page', 'page_size', 'started!', 'ended', 'order', 'name'],
  );
  t.match(parameters.find(({ name }) => name === 'page_size')?.schema, {
    minimum: 1,
    maximum: 1000,
    default: 100,
  });
  t.match(parameters.find(({ name }) => name === 'order')?.schema, {
    type: 'array',
    items: { enum: ['id', '-id', 'status', '-status'] },
  });

  const patch = paths['/v6/jobs/{id}/']?.patch;
  t.match(patch?.parameters, [{ name: 'id', in: 'path', required: true }]);
  t.match(patch?.requestBody, {
    required: false,
    content: { 'application/json': { schema: { type: 'object' } } },
  });
  t.equal(patch?.responses['204']?.content, undefined);
  t.ok(paths['/v6/jobs/{id}/content/']?.get?.responses['200']?.content?.['application/octet-stream']);
  t.strictSame(Object.keys(components.schemas), ['Error', 'Job', 'JobPage', 'Problem']);
  t.notMatch(JSON.stringify(paths), /x-(name|body|media)/, 'our own words stay ours');
});

t.test('openapi: maps declare their values and contents are binary, and so do generated types', async (t) => {
  const Labels = Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.String(), {
    additionalProperties: false,
  });
  const maps = defineRoute({
    method: 'GET',
    path: '/v6/maps/',
    summary: 'Maps',
    replies: { 200: Type.Object({ counts: Type.Record(Type.String(), Type.Integer()), labels: Labels }) },
    handle: () => reply(200, { counts: {}, labels: {} }),
  });
  const { paths } = openApi([maps, content], '1.0.0');
  t.strictSame(paths['/v6/maps/']?.get?.responses['200']?.content?.['application/json']?.schema, {
    type: 'object',
    properties: {
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
      labels: {
        type: 'object',
        additionalProperties: { type: 'string' },
        propertyNames: { pattern: '^[a-z]+$' },
      },
    },
    required: ['counts', 'labels'],
  });
  t.strictSame(paths['/v6/jobs/{id}/content/']?.get?.responses['200']?.content, {
    'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
  });
  t.notMatch(JSON.stringify(openApi(apiRoutes('1.2.3'), '1.2.3')), /patternProperties/);
});

t.test('openapi: two schemas of one name are refused', async (t) => {
  const other = defineRoute({
    method: 'GET',
    path: '/v6/other/',
    summary: 'Other',
    replies: { 200: named('Job', Type.Object({ name: Type.String() })) },
    handle: () => reply(200, { name: 'x' }),
  });
  t.throws(() => openApi([list, other], '1.0.0'), /two schemas are called Job/);
});

t.test('openapi: a parameter of a path without a description is refused', async (t) => {
  const { params: _, ...undescribed } = edit;
  t.throws(() => openApi([undescribed], '1.0.0'), /does not say what \{id\} is/);
});

t.test('openapi: the linter of Redocly finds no error', async (t) => {
  const document = openApi(apiRoutes('1.2.3'), '1.2.3');
  // Paths of the contract end with a slash.
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: { 'no-path-trailing-slash': 'off', 'no-ambiguous-paths': 'off' },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  t.strictSame(
    problems.map(({ message, location }) => `${message} ${location[0]?.pointer}`),
    [],
  );
  const { servers: _, ...without } = document;
  t.not((await lintFromString({ source: JSON.stringify(without), config })).length, 0, 'it looks');
});

t.test('openapi: the id of an operation says what it does', async (t) => {
  const { paths } = openApi(apiRoutes('1.2.3'), '1.2.3');
  const idOf = (method: string, path: string) => paths[path]?.[method]?.operationId;
  t.strictSame(
    [
      idOf('get', '/v6/jobs/'),
      idOf('post', '/v6/jobs/'),
      idOf('post', '/v6/jobs/cancel/'),
      idOf('get', '/v6/batches/{id}/'),
      idOf('patch', '/v6/job-types/{name}/{version}/'),
      idOf('get', '/v6/job-types/{name}/'),
      idOf('post', '/v6/strikes/validation/'),
      idOf('post', '/v6/scans/cancel/{id}/'),
      idOf('get', '/v6/jobs/{id}/executions/{exe_num}/'),
    ],
    [
      ...['listJobs', 'createJob', 'cancelJobs', 'getBatch', 'editJobType', 'listJobTypeByName'],
      ...['validateStrike', 'cancelScan', 'getJobExecution'],
    ],
  );
  for (const { operationId } of Object.values(paths).flatMap((path) => Object.values(path)))
    t.match(operationId, /^[a-z][A-Za-z0-9]+$/);
});

t.test('openapi: pages of lists have named schemas, and calls declare their refusals', async (t) => {
  const { paths, components } = openApi(apiRoutes('1.2.3'), '1.2.3');
  const contentOf = (path: string) => paths[path]?.get?.responses['200']?.content;
  t.strictSame(contentOf('/v6/jobs/')?.['application/json']?.schema, {
    $ref: '#/components/schemas/JobPage',
  });
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined || !get.parameters.some(({ name }) => name === 'page_size')) continue;
    const { $ref } = (get.responses['200']?.content?.['application/json']?.schema ?? {}) as { $ref?: string };
    t.match($ref, /^#\/components\/schemas\/\w+Page$/, path);
  }
  const refusals = (method: string, path: string) =>
    Object.entries(paths[path]?.[method]?.responses ?? {})
      .filter(([, { $ref }]) => $ref !== undefined)
      .map(([status]) => status)
      .join(' ');
  t.equal(refusals('get', '/v6/jobs/{id}/'), '400 401 403 404 429');
  t.equal(refusals('post', '/v6/jobs/'), '400 401 403 409 413 415 422 429');
  t.equal(refusals('post', '/v6/strikes/validation/'), '400 401 403 413 415 429');
  t.match(components.responses.NotFound?.content?.['application/json']?.schema, {
    $ref: '#/components/schemas/Error',
  });
  t.strictSame(
    Object.keys(contentOf('/v6/job-executions/{id}/logs/{stream}/') ?? {}),
    ['application/json', 'text/plain', 'text/html'],
    'a log in each of its forms',
  );
});

t.test('openapi: every operation of the interface has its own id, and every schema compiles', async (t) => {
  const document = openApi(apiRoutes('1.2.3'), '1.2.3');
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const ids = operations.map(({ operationId }) => operationId);
  t.equal(new Set(ids).size, ids.length);

  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://millrace.test/', ...document });
  for (const name of Object.keys(document.components.schemas)) {
    t.ok(ajv.compile({ $ref: `https://millrace.test/#/components/schemas/${name}` }), name);
  }
});

t.test('openapi: a body with a document has examples that its schema accepts', async (t) => {
  const { components } = openApi(apiRoutes('1.2.3'), '1.2.3');
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://millrace.test/', components });
  const creates = ['Workspace', 'JobType', 'RecipeType', 'Strike', 'Scan', 'Job', 'Recipe'];
  for (const name of [...creates.map((one) => `${one}Create`), 'RecipeReprocess']) {
    const schema = components.schemas[name] as { examples?: readonly unknown[] };
    t.ok(schema.examples !== undefined && schema.examples.length > 0, name);
    const validate = ajv.compile({ $ref: `https://millrace.test/#/components/schemas/${name}` });
    for (const example of schema.examples ?? []) t.ok(validate(example), name);
  }
});

t.test('openapi: other work gets the event loop while the document is made', async (t) => {
  const routes = apiRoutes('1.2.3');
  let [turns, isMade] = [0, false];
  const others = () => {
    turns += 1;
    if (!isMade) setImmediate(others);
  };
  setImmediate(others);
  const document = await openApiInTurns(routes, '1.2.3');
  isMade = true;
  t.strictSame(document, openApi(routes, '1.2.3'));
  t.ok(turns >= Math.floor(routes.length / 16), `${turns} turns for ${routes.length} routes`);
});

t.test('openapi: the document and the version are served', async (t) => {
  const { get } = makeCaller(apiRoutes('1.2.3'), { version: '1.2.3' } as ApiParts);
  const { status, json } = await get('/v6/openapi.json');
  t.equal(status, 200);
  t.match(json, {
    openapi: '3.1.0',
    info: { version: '1.2.3' },
    paths: { '/v6/openapi.json': {}, '/v6/version/': {} },
  });
  t.strictSame((await get('/v6/version/')).json, { version: '1.2.3' });
});

t.test('openapi: a validation has the body of the call that it tries', async (t) => {
  const validate = defineValidation({
    path: '/v6/jobs/validation/',
    summary: 'Check',
    body: Job,
    handle: () => ({ errors: [], warnings: [] }),
  });
  const post = openApi([validate], '1.0.0').paths['/v6/jobs/validation/']?.post;
  t.match(post, {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Job' } } },
    },
    responses: {
      200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/ValidationResult' } } } },
    },
  });
});

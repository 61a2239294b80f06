/** Titles and descriptions: always texts, empty where they were omitted; blanks alone are no title. */
import t from 'tap';
import { serviceRoutes } from '../../src/api/service.ts';
import type { Route } from '../../src/http/route.ts';
import { samplesOf } from '../e2e/hostile/samples.ts';
import { guardedService } from '../support/worlds/guarded-service.ts';
import { moreSamples } from './guard/more-samples.ts';

const service = await guardedService(t);
const { facts } = service;
const ROUTES: readonly Route<never>[] = serviceRoutes('1.0.0');

interface Answer {
  readonly status: number;
  readonly location: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  readonly json: any;
}

async function call(method: string, target: string, body?: unknown): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${service.url}${target}`, { method, headers, ...json });
  const text = await response.text();
  const location = response.headers.get('location')?.replace(service.url, '') ?? '';
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, location, json: isJson && text !== '' ? JSON.parse(text) : undefined };
}

const WATCH = { workspace: facts.arrivals, files_to_ingest: [{ filename_regex: 'omitted' }] };
const DATASET = { parameters: { files: [{ name: 'FILE' }], json: [] } };
const EMPTY = { title: '', description: '' };
/** Each call that makes something with a title, with all left out that may be; and what is shown of it. */
const CREATIONS: readonly (readonly [path: string, body: object, shown: object])[] = [
  [
    '/v6/workspaces/',
    { title: 'A', configuration: { broker: { type: 'host', host_path: '/srv/omitted' } } },
    { title: 'A', description: '' },
  ],
  [
    '/v6/strikes/',
    {
      title: 'A',
      configuration: { ...WATCH, monitor: { type: 'dir-watcher' }, recipe: { name: facts.recipeType } },
    },
    { title: 'A', description: '' },
  ],
  [
    '/v6/scans/',
    { title: 'A', configuration: { ...WATCH, scanner: { type: 'dir' } } },
    { title: 'A', description: '' },
  ],
  [
    '/v6/recipe-types/',
    { title: 'A', definition: { input: {}, nodes: {} } },
    { title: 'A', description: '' },
  ],
  ['/v6/datasets/', { definition: DATASET, data: { files: { FILE: [facts.fileId] }, json: {} } }, EMPTY],
  [
    '/v6/batches/',
    {
      recipe_type_id: facts.recipeTypeId,
      definition: { dataset: facts.datasetId, supersedes: false },
    },
    EMPTY,
  ],
];

t.test('titles: an omitted title is shown as an empty text', async (t) => {
  for (const [path, body, shown] of CREATIONS) {
    for (const prefix of ['', '/api']) {
      const made = await call('POST', `${prefix}${path}`, body);
      t.equal(made.status, 201, `${prefix}${path}: ${JSON.stringify(made.json)}`);
      t.match(made.json, shown, `POST ${prefix}${path}`);
      t.match((await call('GET', made.location)).json, shown, `GET ${made.location}`);
    }
    const { results } = (await call('GET', `${path}?order=-id`)).json;
    t.match(results[0], shown, `GET ${path}`);
  }
});

/** Below these a document says what its sender wants: a title there may be left out, a description be an object. */
const DOCUMENTS = new Set(['configuration', 'definition', 'manifest', 'json_config', 'input', 'data']);

/** Every title and description of an answer, with its path; those of events are objects. */
function* wordsOf(value: unknown, path = ''): Generator<readonly [path: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[]` : `${path}.${name}`;
    if (DOCUMENTS.has(name)) continue;
    const isWord = name === 'title' || (name === 'description' && !path.endsWith('event'));
    if (isWord && !Array.isArray(value)) yield [at, inner];
    else yield* wordsOf(inner, at);
  }
}

/** Values for the parameters of paths: of records that leave out what may be. */
function targetsOf(path: string): readonly string[] {
  const ids: Readonly<Record<string, number>> = {
    ...{ workspaces: facts.workspaceId, strikes: facts.strikeId, scans: facts.scanId, jobs: facts.jobId },
    ...{ recipes: facts.recipeId, batches: facts.batchId, datasets: facts.datasetId, nodes: facts.nodeId },
    ...{ files: facts.fileId, accounts: facts.accountId },
  };
  const resource = path.split('/')[2] ?? '';
  const filled = path
    .replace('job-types/{name}/{version}', 'job-types/demo-describe/1.0.0')
    .replace('job-types/{name}', 'job-types/demo-describe')
    .replace('recipe-types/{name}', `recipe-types/${facts.recipeType}`)
    .replace('{id}', String(ids[resource] ?? 1))
    .replace('/{job_id}', `/${facts.jobId}`)
    .replaceAll(/\{\w+\}/g, '1');
  const range = '?started=P1D';
  return ['load/', 'timeline/', 'metrics/', 'ingests/status/'].some((part) => filled.includes(part))
    ? [filled, `${filled}${range}`]
    : [filled];
}

t.test('titles: every title and description in an answer is a text', async (t) => {
  const seen = new Set<string>();
  for (const { method, path } of ROUTES) {
    if (method !== 'GET' || path === '/v6/openapi.json') continue;
    for (const target of targetsOf(path)) {
      const { status, json } = await call('GET', target);
      if (status !== 200) continue;
      for (const [at, value] of wordsOf(json)) {
        seen.add(`${path} ${at}`);
        if (typeof value !== 'string') t.fail(`GET ${target} ${at}: ${JSON.stringify(value)}`);
      }
    }
  }
  for (const place of [
    '/v6/batches/ .results[].title',
    '/v6/batches/ .results[].root_batch.title',
    '/v6/batches/{id}/ .description',
    '/v6/datasets/ .results[].title',
    '/v6/datasets/{id}/ .description',
    '/v6/errors/ .results[].description',
    '/v6/job-types/ .results[].description',
    '/v6/jobs/ .results[].batch.title',
    '/v6/jobs/ .results[].job_type.description',
    '/v6/recipe-types/ .results[].description',
    '/v6/recipes/ .results[].batch.description',
    '/v6/recipes/ .results[].recipe_type.description',
    '/v6/scans/{id}/ .description',
    '/v6/strikes/{id}/ .description',
    '/v6/workspaces/{id}/ .description',
  ]) {
    t.ok(seen.has(place), place);
  }
});

t.test('titles: a title of blanks alone is refused everywhere', async (t) => {
  const samples = [...samplesOf(facts, service as never), ...moreSamples(facts)];
  const refused = new Set<string>();
  for (const { method, target, route, body } of samples) {
    if (!Object.hasOwn(body, 'title')) continue;
    refused.add(`${method} ${route}`);
    for (const title of [' ', ' \t\u00a0 ']) {
      const { status, json } = await call(method, target, { ...body, title });
      const isCheck = route.endsWith('/validation/');
      t.equal(status, isCheck ? 200 : 400, `${method} ${target}: ${JSON.stringify(json)}`);
      t.match(
        json.errors,
        [{ path: 'title', name: 'BAD_FORMAT', description: 'must not be blanks only' }],
        target,
      );
      if (isCheck) t.equal(json.is_valid, false, target);
    }
  }
  const bodies = ROUTES.filter(
    ({ path, body }) => path.startsWith('/v6/') && body?.properties?.title !== undefined,
  );
  t.strictSame(
    [...refused].sort(),
    bodies.map(({ method, path }) => `${method} ${path}`).sort(),
    'all calls that take a title',
  );
});

t.test('titles: an empty title counts as absent where a title is optional', async (t) => {
  for (const [path, body, shown] of CREATIONS) {
    const { status, json } = await call('POST', path, { ...body, ...EMPTY });
    if ('title' in body) t.match(json.errors, [{ path: 'title', name: 'TOO_SHORT' }], path);
    else t.match([status, json], [201, shown], path);
  }
  const batch = `/v6/batches/${facts.batchId}/`;
  t.equal((await call('PATCH', batch, { title: 'Named', description: 'D' })).status, 204);
  t.equal((await call('PATCH', batch, EMPTY)).status, 204);
  t.match((await call('GET', batch)).json, EMPTY);
});

t.test('titles: a manifest needs a title of more than blanks; an error shows its name instead', async (t) => {
  const sample = samplesOf(facts, service as never).find((one) => one.route === '/v6/job-types/');
  const manifest = structuredClone(sample?.body.manifest) as { job: { title: string; errors: object[] } };
  manifest.job.title = '  ';
  const path = 'manifest.job.title';
  const refused = await call('POST', '/v6/job-types/', { ...sample?.body, manifest });
  t.equal(refused.status, 400);
  t.match(refused.json.errors, [{ path, description: /must be more than blanks/ }]);
  const checked = await call('POST', '/v6/job-types/validation/', { ...sample?.body, manifest });
  t.match(checked.json, { is_valid: false, errors: [{ path }] });
  const lenient = await call('POST', '/api/v6/job-types/', { ...sample?.body, manifest });
  t.match([lenient.status, lenient.json.title], [201, 'hostile'], 'an older client is taken by the name');
  manifest.job.title = 'Titled';
  manifest.job.errors = [{ code: 4, name: 'four', title: ' ' }];
  const made = await call('POST', '/v6/job-types/', { ...sample?.body, manifest });
  t.match(made.json.manifest.job.errors, [{ code: 4, title: 'four' }], 'an error without one has its name');
  const { results } = (await call('GET', '/v6/errors/?job_type_name=hostile&order=id')).json;
  t.match(results.at(-1), { title: 'four', description: '' });
});

/** What a GET shows as a configuration, definition, manifest or input is taken back by every call that takes such. */
import t, { type Test } from 'tap';
import { serviceRoutes } from '../../src/api/service.ts';
import type { Route } from '../../src/http/route.ts';
import { samplesOf } from '../e2e/hostile/samples.ts';
import { guardedService } from '../support/worlds/guarded-service.ts';
import { moreSamples } from './guard/more-samples.ts';

const service = await guardedService(t);
const ROUTES: readonly Route<never>[] = serviceRoutes('1.0.0');
const DOCUMENTS = ['configuration', 'definition', 'manifest', 'input'];

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
  return { status: response.status, location, json: text === '' ? undefined : JSON.parse(text) };
}

const get = async (target: string): Promise<Answer['json']> => {
  const { status, json } = await call('GET', target);
  if (status !== 200) throw new Error(`GET ${target}: ${status} ${JSON.stringify(json)}`);
  return json;
};

/** The route of a path with values in it. */
function routeAt(method: string, target: string): Route<never> | undefined {
  return ROUTES.find(
    (route) =>
      route.method === method && new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target),
  );
}

/** Sends a document back to the calls that make such a thing, edit it and check it. */
async function sendBack(
  t: Test,
  at: { readonly route: string; readonly target?: string; readonly body: object },
  field: string,
  document: unknown,
): Promise<void> {
  const { route, target, body } = at;
  const made = await call('POST', route, { ...body, [field]: document });
  t.equal(made.status, 201, `POST ${route} ${field}: ${JSON.stringify(made.json.errors)}`);
  const shown = await get(made.location);
  t.strictSame(shown[field], document, `POST ${route} ${field}: it is what was sent`);
  if (routeAt('POST', `${route}validation/`) !== undefined) {
    const { json } = await call('POST', `${route}validation/`, { ...body, [field]: document });
    t.match(json, { is_valid: true }, `POST ${route}validation/ ${field}: ${JSON.stringify(json.errors)}`);
  }
  if (target === undefined) return;
  const edit = routeAt('PATCH', target);
  if (edit?.body?.properties?.[field] === undefined) return;
  const { status, json } = await call('PATCH', target, { [field]: document });
  t.equal(status, 204, `PATCH ${target} ${field}: ${JSON.stringify(json?.errors)}`);
  t.strictSame((await get(target))[field], document, `PATCH ${target} ${field}: nothing has changed`);
}

const samples = [...samplesOf(service.facts, service as never), ...moreSamples(service.facts)];

t.test('taken back: a document that details show can be sent back in a call', async (t) => {
  const seen = new Set<string>();
  for (const { method, route, body } of samples) {
    const documents = DOCUMENTS.filter((field) => Object.hasOwn(body, field));
    if (method !== 'POST' || route.endsWith('/validation/') || documents.length === 0) continue;
    // What hides a secret stands for nothing in a new record: it has a test of its own.
    if (JSON.stringify(body).includes('secret_access_key')) continue;
    // Its record is the job, which shows no manifest: that of its type is hidden.
    if (route === '/v6/job-types/try/') continue;
    const made = await call('POST', route, body);
    // A search for files creates nothing when it finds none.
    if (made.status === 200 && route === '/v6/datasets/') continue;
    t.equal(made.status, 201, `${route}: ${JSON.stringify(made.json)}`);
    const shown = await get(made.location);
    for (const field of documents) {
      await sendBack(t, { route, target: made.location, body }, field, shown[field]);
      seen.add(`${route} ${field}`);
    }
  }
  t.strictSame([...seen].sort(), [
    '/v6/batches/ configuration',
    '/v6/batches/ definition',
    '/v6/datasets/ definition',
    '/v6/job-types/ configuration',
    '/v6/job-types/ manifest',
    '/v6/jobs/ configuration',
    '/v6/jobs/ input',
    '/v6/recipe-types/ definition',
    '/v6/recipes/ configuration',
    '/v6/recipes/ input',
    '/v6/scans/ configuration',
    '/v6/strikes/ configuration',
    '/v6/workspaces/ configuration',
  ]);
});

t.test('taken back: a secret is kept when its mask is sent back', async (t) => {
  const credentials = { access_key_id: 'AKIA', secret_access_key: 'hush' };
  const broker = { type: 'objstore', bucket_name: 'a-bucket', credentials };
  const store = await call('POST', '/v6/workspaces/', { title: 'Secret', configuration: { broker } });
  const { configuration, name } = await get(store.location);
  t.not(configuration.broker.credentials.secret_access_key, 'hush');
  t.equal((await call('PATCH', store.location, { configuration })).status, 204);
  t.strictSame((await get(store.location)).configuration, configuration);
  const strike = {
    workspace: name,
    monitor: { type: 'objstore', queue_name: 'a-queue', queue_type: 'sqs', region_name: 'eu-1', credentials },
    files_to_ingest: [{ filename_regex: '.*' }],
    recipe: { name: service.facts.recipeType },
  };
  const made = await call('POST', '/v6/strikes/', { title: 'Secret', configuration: strike });
  const shown = (await get(made.location)).configuration;
  t.equal((await call('PATCH', made.location, { configuration: shown })).status, 204);
  t.strictSame((await get(made.location)).configuration, shown);
});

t.test('taken back: what other records show of a document can be sent back', async (t) => {
  const { facts } = service;
  const recipeTypes = { route: '/v6/recipe-types/', body: { title: 'Back' } };
  const recipe = await get(`/v6/recipes/${facts.recipeId}/`);
  const batch = await get(`/v6/batches/${facts.batchId}/`);
  const revision = await get(`/v6/recipe-types/${facts.recipeType}/revisions/1/`);
  for (const { definition } of [recipe.recipe_type_rev, batch.recipe_type_rev, revision])
    await sendBack(t, recipeTypes, 'definition', definition);
  const job = await get(`/v6/jobs/${facts.jobId}/`);
  const { configuration } = job;
  const jobTypes = { route: '/v6/job-types/', body: { container_image: 'process:default', configuration } };
  const { name, version } = job.job_type;
  const type = await get(`/v6/job-types/${name}/${version}/revisions/1/`);
  for (const { manifest } of [job.job_type_rev, type]) await sendBack(t, jobTypes, 'manifest', manifest);
  const jobs = { route: '/v6/jobs/', body: { job_type_id: facts.jobTypeId, input: job.input } };
  await sendBack(t, jobs, 'configuration', job.configuration);
});

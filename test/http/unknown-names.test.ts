/**
 * Names that nobody knows, in bodies and queries of all calls: refused under `/v6/` with the nearest known one, ignored
 * under `/api/`.
 */
import t from 'tap';
import type { Route } from '../../src/http/route.ts';
import { serviceRoutes } from '../../src/http/service.ts';
import { type Sample, samplesOf } from '../e2e/hostile/samples.ts';
import { guardedService } from '../support/guarded-service.ts';
import { moreSamples } from './guard/more-samples.ts';

const service = await guardedService(t);
const ROUTES: readonly Route<never>[] = serviceRoutes('1.0.0');

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  readonly json: any;
}

async function call(method: string, target: string, body?: unknown): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${service.url}${target}`, { method, headers, redirect: 'manual', ...json });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, json: isJson && text !== '' ? JSON.parse(text) : undefined };
}

/** Where names are the sender's: of mounts, settings, outputs, parameters, nodes; and values of parameters. */
const SENDERS_OWN = new Set(['mounts', 'driver_opts', 'settings', 'outputs', 'nodes', 'sub_recipes', 'json']);
const isOwnMap = (path: readonly string[]): boolean => {
  const [last = '', before = ''] = [path.at(-1), path.at(-2)];
  if (last === 'input') return path.length > 2; // of a node, not of a recipe
  if (last === 'files' || last === 'json') return !Array.isArray(before) && isData(path);
  if (last === 'outputs') return before === 'output_workspaces';
  return SENDERS_OWN.has(last) && !path.includes('interface');
};
const isData = (path: readonly string[]): boolean =>
  path.some((step) => ['input', 'data', 'data_template', 'global_data'].includes(step)) &&
  !path.includes('nodes');

/** Every object of a body whose names are ours, by its path. */
function* placesOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  const isOurs = !Array.isArray(value) && !isOwnMap(path) && Object.keys(value).length > 0;
  if (isOurs) yield path;
  for (const [key, inner] of Object.entries(value)) yield* placesOf(inner, [...path, key]);
}

/** The body with a name beside the first of the object there; with the name and the one that it is like. */
function misspelt(body: object, path: readonly string[]): { body: object; wrong: string; right: string } {
  const copy = structuredClone(body);
  // biome-ignore lint/suspicious/noExplicitAny: the path is one of the body's
  const at = path.reduce((inner: any, step) => inner[step], copy);
  const right = Object.keys(at).sort((one, other) => other.length - one.length)[0] ?? '';
  const wrong = `${right.slice(0, -1)}q${right.slice(-1)}`;
  at[wrong] = at[right];
  return { body: copy, wrong, right };
}

const samples: readonly Sample[] = [
  ...samplesOf(service.facts, service as never),
  ...moreSamples(service.facts),
];
const OTHERS = new Set(['/v6/notifications/{queue_name}/']);

t.test('unknown names: each object of each body refuses them, with the nearest known one', async (t) => {
  let places = 0;
  for (const { method, target, route, body } of samples) {
    if (OTHERS.has(route)) continue;
    for (const path of placesOf(body)) {
      const { body: sent, wrong, right } = misspelt(body, path);
      const { status, json } = await call(method, target, sent);
      const what = `${method} ${target} ${[...path, wrong].join('.')}`;
      const isCheck = target.endsWith('/validation/');
      t.equal(status, isCheck ? 200 : 400, `${what}: ${JSON.stringify(json)}`);
      if (isCheck) t.equal(json.is_valid, false, what);
      const named = json?.errors?.filter((error: { path: string }) => error.path.endsWith(wrong)) ?? [];
      t.match(named, [{ description: `; did you mean '${right}'?` }], what);
      places += 1;
    }
  }
  t.ok(places > 100, `${places} places`);
});

t.test('unknown names: under /api/ they are ignored everywhere', async (t) => {
  for (const { method, target, route, body } of samples) {
    // A source is purged once.
    if (OTHERS.has(route) || route.endsWith('/purge-source/')) continue;
    const isCheck = target.endsWith('/validation/');
    const plain = await call(method, `/api${target}`, body);
    for (const path of placesOf(body)) {
      const { body: sent, wrong } = misspelt(body, path);
      const { status, json } = await call(method, `/api${target}`, sent);
      const what = `${method} /api${target} ${[...path, wrong].join('.')}`;
      const errors: { path: string }[] = json?.errors ?? [];
      t.notOk(
        errors.some((error) => error.path.endsWith(wrong)),
        `${what}: ${JSON.stringify(json)}`,
      );
      if (isCheck) t.equal(json.is_valid, plain.json.is_valid, what);
      else if (plain.status === 400) t.equal(status, 400, what);
      else t.ok(status < 400 || status === 409 || status === plain.status, `${what}: ${status}`);
    }
  }
});

t.test('unknown names: every call refuses parameters that it does not have', async (t) => {
  const open = new Set(['POST /v6/notifications/{queue_name}/', 'GET /v6/login/openid/callback/']);
  for (const { method, path, params } of ROUTES) {
    if (!path.startsWith('/v6/')) continue;
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      name in (params ?? {}) && /name|version/.test(name) ? 'x' : '1',
    );
    const body = method === 'GET' ? undefined : {};
    const { status, json } = await call(method, `${target}?nobody_knows=1&_=1`, body);
    const refused = (json?.errors ?? []).filter(
      (error: { name: string }) => error.name === 'UNKNOWN_PARAMETER',
    );
    const what = `${method} ${path}: ${status}`;
    if (open.has(`${method} ${path}`)) t.strictSame(refused, [], what);
    // What a path cannot name is not found, whatever is asked of it.
    else if (status !== 404) t.match([status, refused], [400, [{ path: 'nobody_knows' }]], what);
  }
  for (const path of ['/', '/docs/', '/login/', '/api/login/', '/api/v6/jobs/', '/api/v6/version/']) {
    t.equal((await call('GET', `${path}?nobody_knows=1`)).status, 200, path);
  }
});

t.test('unknown names: what did something else than was meant', async (t) => {
  const rows: readonly (readonly [string, string, unknown, string, string])[] = [
    ['PATCH', '/v6/scheduler/', { paused: true }, 'paused', 'is_paused'],
    ['PATCH', `/v6/strikes/${service.facts.strikeId}/`, { paused: true }, 'paused', 'is_paused'],
    [
      'POST',
      '/v6/jobs/cancel/',
      { status: 'FAILED', job_type_name: ['a'] },
      'job_type_name',
      'job_type_names',
    ],
    ['POST', '/v6/datasets/', { definition: {}, media_typ: ['text/plain'] }, 'media_typ', 'media_type'],
    ['GET', '/v6/jobs/?statsu=FAILED', undefined, 'statsu', 'status'],
  ];
  for (const [method, target, body, path, right] of rows) {
    const { status, json } = await call(method, target, body);
    t.equal(status, 400, target);
    t.match(json.errors, [{ path, description: `; did you mean '${right}'?` }], target);
    t.match(json.detail, new RegExp(`^${path}: .*'${right}'`), target);
  }
});

t.test('unknown names: those that are known and ignored', async (t) => {
  const { facts, folder } = service;
  const broker = { type: 'host', host_path: `${folder}/ignored` };
  const made = (target: string, body: object) => call('POST', target, body);
  for (const version of ['6', '7']) {
    const configuration = { version, broker, workspace: 'x' };
    const { status, json } = await made('/v6/workspaces/', { title: 'Ignored', name: 'mine', configuration });
    t.equal(status, 201, JSON.stringify(json));
    t.match(json.name, /^ignored/, 'the service makes the name');
    t.strictSame(json.configuration, { broker });
  }
  t.equal(
    (await made('/v6/workspaces/', { title: 'x', configuration: { version: '5', broker } })).status,
    400,
  );
  const scanner = { type: 'dir', transfer_suffix: '_part' };
  const rules = [{ filename_regex: '.*' }];
  const scan = { version: '6', workspace: facts.arrivals, scanner, monitor: scanner, files_to_ingest: rules };
  t.equal((await made('/v6/scans/', { title: 'Echo', name: 'mine', configuration: scan })).status, 201);
  const differs = { ...scan, monitor: { type: 'dir' } };
  const refused = await made('/v6/scans/', { title: 'Echo', configuration: differs });
  t.match([refused.status, refused.json.errors], [400, [{ path: 'configuration.monitor' }]]);
});

/**
 * What people mistype. Names that nobody knows, in bodies and queries of all calls, are refused under `/v6/` with the
 * nearest known one, and ignored under `/api/`; so are values, paths and JSON told what is wrong with them.
 */
import { request as httpRequest } from 'node:http';
import t from 'tap';
import { serviceRoutes } from '../../src/api/service.ts';
import type { Route } from '../../src/http/route.ts';
import { type Sample, samplesOf } from '../e2e/hostile/samples.ts';
import { guardedService } from '../support/worlds/guarded-service.ts';
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

t.test('mistyped: each object of each body refuses unknown names, with the nearest known one', async (t) => {
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

t.test('mistyped: under /api/ unknown names are ignored everywhere', async (t) => {
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

t.test('mistyped: every call refuses unknown parameters', async (t) => {
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

t.test('mistyped: a misspelt field that would change a call is refused with the right one', async (t) => {
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

t.test('mistyped: known names without effect are accepted', async (t) => {
  const { facts, folder } = service;
  const broker = { type: 'host', host_path: `${folder}/ignored` };
  const made = (target: string, body: object) => call('POST', target, body);
  for (const version of ['6', '7']) {
    const configuration = { version, broker, workspace: 'x' };
    const { status, json } = await made('/v6/workspaces/', { title: 'Ignored', configuration });
    t.equal(status, 201, JSON.stringify(json));
    t.strictSame(json.configuration, { broker });
  }
  t.equal(
    (await made('/v6/workspaces/', { title: 'x', configuration: { version: '5', broker } })).status,
    400,
  );
  const scanner = { type: 'dir', transfer_suffix: '_part' };
  const rules = [{ filename_regex: '.*' }];
  const scan = { version: '6', workspace: facts.arrivals, scanner, monitor: scanner, files_to_ingest: rules };
  t.equal((await made('/v6/scans/', { title: 'Echo', configuration: scan })).status, 201);
  const differs = { ...scan, monitor: { type: 'dir' } };
  const refused = await made('/v6/scans/', { title: 'Echo', configuration: differs });
  t.match([refused.status, refused.json.errors], [400, [{ path: 'configuration.monitor' }]]);
});

t.test('mistyped: values of closed sets are refused with the nearest', async (t) => {
  const { facts } = service;
  const rule = { filename_regex: '.*' };
  const strike = (monitor: object) => ({
    title: 'x',
    configuration: {
      workspace: facts.arrivals,
      monitor,
      files_to_ingest: [rule],
      recipe: { name: facts.recipeType },
    },
  });
  const rows: readonly (readonly [string, string, unknown, string, string])[] = [
    ['GET', '/v6/jobs/?status=FAILD', undefined, 'status', 'FAILED'],
    ['GET', '/v6/jobs/?order=-last_modifed', undefined, 'order', 'last_modified'],
    ['PATCH', '/v6/scheduler/', { queue_mode: 'FIOF' }, 'queue_mode', 'FIFO'],
    ['POST', '/v6/jobs/cancel/', { status: 'QUEUD' }, 'status', 'QUEUED'],
    [
      'POST',
      '/v6/datasets/',
      { definition: {}, data_template: {}, file_type: 'SOURC' },
      'file_type',
      'SOURCE',
    ],
    ['POST', '/v6/tokens/', { name: 'x', scope: 'raed' }, 'scope', 'read'],
    ['POST', '/v6/strikes/', strike({ type: 'dirwatch' }), 'configuration.monitor.type', 'dir-watcher'],
    [
      ...(['POST', '/v6/workspaces/', { title: 'x', configuration: { broker: { type: 'hots' } } }] as const),
      ...(['configuration.broker.type', 'host'] as const),
    ],
  ];
  for (const [method, target, body, path, right] of rows) {
    const { status, json } = await call(method, target, body);
    t.equal(status, 400, target);
    const named = json.errors.filter((error: { path: string }) => error.path === path);
    t.match(named, [{ description: `; did you mean '${right}'?` }], JSON.stringify(json));
  }
});

t.test('mistyped: a path that is not served is answered with the nearest one', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['/v6/job/', '/v6/jobs/'],
    ['/v6/jobs/7/exeuctions/', '/v6/jobs/7/executions/'],
    ['/jobs/7/', '/v6/jobs/7/'],
    ['/v5/jobs/', '/v6/jobs/'],
    ['/v6/job_types/', '/v6/job-types/'],
    ['/v6/recipe-type/a-type/', '/v6/recipe-types/a-type/'],
    ['/api/v6/job/', '/api/v6/jobs/'],
    ['/v6/ingests/staus/', '/v6/ingests/status/'],
  ];
  for (const [target, right] of rows) {
    const { status, json } = await call('GET', target);
    t.equal(status, 404, target);
    t.ok(json.detail.endsWith(`; did you mean '${right}'?`), `${target}: ${json.detail}`);
  }
  for (const target of ['/v6/nothing-like-it/', '/x/', `/v6/${'job/'.repeat(1_000)}`, '/v6/%F0%9F%98%80/']) {
    const { status, json } = await call('GET', target);
    t.match(
      [status, json.detail],
      [404, 'nothing is served at this path; GET /v6/ lists what is served'],
      target,
    );
  }
  const stream = await call('GET', '/v6/job-executions/1/logs/stdot/');
  t.equal(stream.status, 404);
  t.equal(
    stream.json.detail,
    `there is no stream 'stdot': must be one of: stdout, stderr, combined; did you mean 'stdout'?`,
  );
  t.equal((await call('GET', '/v6/jobs/x/')).json.detail, `there is no id 'x'`);
  const upload = await call('GET', '/v6/workspaces/arrivals/uploads/1/');
  t.equal(upload.json.detail, `there is no upload '1'`, 'the path that was sent is no suggestion');
});

t.test('mistyped: /v6/ answers with links to what is served', async (t) => {
  const { status, json } = await call('GET', '/v6/');
  t.equal(status, 200);
  t.match(json, {
    version: '1.0.0',
    docs: `${service.url}/docs/`,
    openapi: `${service.url}/v6/openapi.json`,
  });
  t.match(json, { detail: `${service.url}/docs/`, login: `${service.url}/login/` });
  t.ok(Object.keys(json.resources).length >= 20);
  for (const url of [json.docs, json.openapi, json.login, ...Object.values<string>(json.resources)]) {
    const answer = await fetch(url);
    // Some lists need a range of time.
    t.ok([200, 400].includes(answer.status), `${url}: ${answer.status}`);
    await answer.body?.cancel();
  }
});

t.test(
  'mistyped: a refusal of broken JSON gives the position, or says that the text ends too early',
  async (t) => {
    const send = async (body: string) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${service.url}/v6/jobs/`, { method: 'POST', headers, body });
      return { status: response.status, json: (await response.json()) as { code: string; detail: string } };
    };
    const rows: readonly (readonly [string, string])[] = [
      [
        '{"job_type_id": 1,\n "input": {},}',
        'at line 2, column 14, a name in double quotes after the comma is expected',
      ],
      [`{'job_type_id': 1}`, 'at line 1, column 2, a name in double quotes is expected'],
      ['{"job_type_id": 1\n "input": {}}', `at line 2, column 2, ',' or '}' is expected`],
      ['{"job_type_id": 1,\n "input": {"files": {"a', 'it ends too early, at line 2, column 24: '],
      ['{', 'it ends too early, at line 1, column 2: '],
    ];
    for (const [body, says] of rows) {
      const { status, json } = await send(body);
      t.match([status, json.code], [400, 'INVALID_JSON'], body);
      t.ok(json.detail.startsWith(`the body is not valid JSON: ${says}`), json.detail);
    }
    t.notMatch(
      (await send('{"secret_access_key": hunter2}')).json.detail,
      /hunter2/,
      'what was sent is not repeated',
    );
  },
);

t.test('mistyped: a refusal of an unknown host names the setting', async (t) => {
  const { hostname, port } = new URL(service.url);
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { host: 'millrace.example' };
    const request = httpRequest({ hostname, port, path: '/v6/version/', headers }, (response) => {
      let all = '';
      response.setEncoding('utf8').on('data', (piece) => {
        all += piece;
      });
      response.on('end', () => resolve(`${response.statusCode} ${all}`));
    });
    request.on('error', reject).end();
  });
  t.match(text, /^403 .*'millrace\.example'.*MILLRACE_ALLOWED_HOSTS/);
});

t.test('mistyped: unknown names of records in documents are refused with the nearest one', async (t) => {
  const { arrivals, recipeType } = service.facts;
  const typo = (name: string) => `${name.slice(0, -2)}${name.slice(-1)}${name.slice(-2, -1)}`;
  const node = (type: object) => ({
    definition: { input: {}, nodes: { a: { dependencies: [], input: {}, node_type: type } } },
  });
  const job = (name: string, version: string) =>
    node({ node_type: 'job', job_type_name: name, job_type_version: version });
  const watch = (over: object) => ({
    configuration: {
      workspace: arrivals,
      monitor: { type: 'dir-watcher' },
      files_to_ingest: [{ filename_regex: '.*' }],
      recipe: { name: recipeType },
      ...over,
    },
  });
  const scan = (over: object) => {
    const { monitor: _, ...configuration } = watch(over).configuration;
    return { configuration: { ...configuration, scanner: { type: 'dir' } } };
  };
  const outputs = { output_workspaces: { default: typo(arrivals) } };
  const types = samples.find(({ route }) => route === '/v6/job-types/');
  const [near, path] = [typo(arrivals), 'configuration.workspace'];
  const rule = { filename_regex: '.*', new_workspace: near };
  const rows: readonly (readonly [route: string, body: object, path: string, end: string])[] = [
    [
      'recipe-types/',
      job('demo-descrieb', '1.0.0'),
      'definition.nodes.a.node_type.job_type_name',
      "'demo-describe'?",
    ],
    [
      'recipe-types/',
      job('demo-describe', '7.0.0'),
      'definition.nodes.a.node_type.job_type_name',
      'its versions are 1.0.0',
    ],
    [
      'recipe-types/',
      node({ node_type: 'recipe', recipe_type_name: typo(recipeType) }),
      'definition.nodes.a.node_type.recipe_type_name',
      `'${recipeType}'?`,
    ],
    ['strikes/', watch({ workspace: near }), path, `'${arrivals}'?`],
    [
      'strikes/',
      watch({ files_to_ingest: [rule] }),
      'configuration.files_to_ingest[0].new_workspace',
      `'${arrivals}'?`,
    ],
    [
      'strikes/',
      watch({ recipe: { name: typo(recipeType) } }),
      'configuration.recipe.name',
      `'${recipeType}'?`,
    ],
    ['scans/', scan({ workspace: near }), path, `'${arrivals}'?`],
    ['scans/', scan({ recipe: { name: typo(recipeType) } }), 'configuration.recipe.name', `'${recipeType}'?`],
    [
      'job-types/',
      { ...types?.body, configuration: outputs },
      'configuration.output_workspaces.default',
      `'${arrivals}'?`,
    ],
  ];
  for (const [route, over, at, end] of rows) {
    const body = { title: 'Named', ...over };
    const { title: _, ...untitled } = body;
    const sent = route === 'job-types/' ? untitled : body;
    const ends = new RegExp(`${end.replace('?', '\\?')}$`);
    const refused = await call('POST', `/v6/${route}`, sent);
    t.equal(refused.status, 400, route);
    t.match(refused.json.errors, [{ path: at, description: ends }], `${route} ${at}`);
    const checked = await call('POST', `/v6/${route}validation/`, sent);
    t.match(checked.json, { is_valid: false, errors: [{ path: at, description: ends }] }, `${route} ${at}`);
  }
  const far = await call('POST', '/v6/strikes/', { title: 'Named', ...watch({ workspace: 'zzzz' }) });
  t.match(far.json.errors, [{ path, description: /zzzz$/ }], 'nothing is near');
});

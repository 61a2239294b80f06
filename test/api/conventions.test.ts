/** What all calls have in common (docs/interface.md), held for each call that is served. */
import t, { type Test } from 'tap';
import { apiDeps } from '../../src/api/deps.ts';
import { apiRoutes } from '../../src/api/resources.ts';
import { type OpenApiOperation, openApi } from '../../src/http/openapi.ts';
import { savedJob, savedRecipe } from '../store/make.ts';
import { storeWorld } from '../store/store-world.ts';
import { type Answer, makeCaller, NOW_MS } from '../support/http.ts';
import { idleParts } from '../support/idle-parts.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: {
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly items?: Parameter['schema'];
  };
}

interface Served {
  readonly method: string;
  readonly path: string;
  readonly target: string;
  readonly query: readonly Parameter[];
  readonly operation: OpenApiOperation;
}

const world = await storeWorld(t);
const job = await savedJob(world);
const recipe = await savedRecipe(world);
await world.rows(`insert into dataset (id, definition, created) values (1, '{}', now())`);
await world.rows(
  `insert into ingest (id, file_name, status, workspace_id, file_path, media_type, created, last_modified)
   values (1, 'a', 'DEFERRED', $1, 'a', 'text/plain', now(), now())`,
  [world.ids.in],
);
await world.rows(
  `insert into batch (id, shard, recipe_type_id, recipe_type_rev_id, event_id, definition, root_batch_id,
     recipes_estimated, created, last_modified)
   values (1, 1, $1, $2, $3, '{}', 1, 0, now(), now())`,
  [world.ids.recipeType, world.ids.recipeRev, job.eventId],
);
const unreachable = async (): Promise<never> => {
  throw new Error('no call of this test may come so far');
};
// What no call of this test needs is not there.
const parts = idleParts(world.db.sql, {
  ids: { take: unreachable },
  evaluator: { checkPatterns: async () => new Map() },
  system: { ask: unreachable, ownerOf: () => undefined, stats: () => ({ kinds: {}, mailParked: 0 }) },
});
const dispatching = makeCaller(apiRoutes('any'), apiDeps(parts));
/** Holds the status of each answer to those that the document has for the call. */
const caller = {
  async call(...[method, target, ...rest]: Parameters<typeof dispatching.call>): Promise<Answer> {
    const answer = await dispatching.call(method, target, ...rest);
    const path = target.replace(/\?.*/s, '');
    const isOf = (pattern: string) => new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
    const found = served.filter((one) => one.method === method && isOf(one.path));
    const isDeclared = found.some(({ operation }) => String(answer.status) in operation.responses);
    if (found.length > 0 && !isDeclared && answer.status !== 405)
      undeclared.add(`${method} ${found[0]?.path} ${answer.status}`);
    return answer;
  },
  get: (target: string): Promise<Answer> => caller.call('GET', target),
};
const undeclared = new Set<string>();

const ID = [
  [/^\/v6\/jobs\//, job.id],
  [/^\/v6\/recipes\//, recipe.id],
  [/^\/v6\/nodes\//, world.ids.node],
  [/^\/v6\/workspaces\//, world.ids.in],
] as const;

/** The call with records that exist, where this world has such. */
function targetOf(path: string): string {
  const id = ID.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
  const isRecipe = path.startsWith('/v6/recipe-types/');
  return path
    .replace('{name}', isRecipe ? 'recipe-a' : path.startsWith('/v6/metrics/') ? 'job-types' : 'type-a')
    .replace('{version}', '1.0.0')
    .replace('{stream}', 'combined')
    .replace(/\{\w*num\}/, '1')
    .replaceAll(/\{\w+\}/g, String(id));
}

const { paths } = openApi(apiRoutes('any'), 'any');
const served: Served[] = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({
    ...{ method: method.toUpperCase(), path, operation, target: targetOf(path) },
    query: (operation.parameters as unknown as readonly Parameter[]).filter((one) => one.in === 'query'),
  })),
);
const lists = served.filter(({ query }) => query.some(({ name }) => name === 'page_size'));

const ago = (hours: number) => new Date(NOW_MS - hours * 3_600_000).toISOString();
/** What a call cannot do without. */
const needs = ({ query }: Served): string[] =>
  query
    .filter(({ required }) => required)
    .map(({ name, schema }) => `${name}=${/started$/.test(name) ? ago(5) : (valuesOf(schema)[0] ?? 'x')}`);
const get = (call: Served, ...query: readonly string[]) => {
  const nameOf = (one: string) => one.slice(0, one.indexOf('='));
  const given = new Set(query.map(nameOf));
  const all = [...needs(call).filter((one) => !given.has(nameOf(one))), ...query];
  return caller.get(`${call.target}?${all.join('&')}`);
};

function valuesOf(schema: Parameter['schema']): readonly string[] {
  const one = schema.items ?? schema;
  if (one.enum !== undefined) return one.enum;
  return one.type === 'integer' ? ['1', '2'] : one.type === 'boolean' ? ['true', 'false'] : ['x', 'y'];
}

/** Values of parameters whose set the document does not say: it depends on the name in the path. */
const SETS: Readonly<Record<string, readonly string[]>> = {
  column: ['completed_count', 'total_count'],
  group: ['overview'],
};

const names = ({ json }: Answer): string[] => (json?.errors ?? []).map(({ path }: { path: string }) => path);

function refused(t: Test, answer: Answer, name: string, what: string): void {
  t.equal(answer.status, 400, `${what}: ${answer.text.slice(0, 200)}`);
  t.ok(names(answer).includes(name), `${what} names ${name}: ${answer.text.slice(0, 200)}`);
}

t.test('conventions: the routes have lists, reads and writes', async (t) => {
  t.ok(lists.length >= 15, `${lists.length} lists`);
  t.ok(served.length >= 50, `${served.length} calls`);
});

for (const call of lists) {
  t.test(`${call.path}: pages follow the conventions`, async (t) => {
    const first = await get(call);
    t.equal(first.status, 200, first.text.slice(0, 200));
    const { count } = first.json;
    for (const [name, wrong] of [
      ...['0', '-1', '1001', 'x', '', '1.5'].map((value) => ['page_size', value] as const),
      ...['0', '-1', 'x', '', '9'.repeat(30)].map((value) => ['page', value] as const),
    ])
      refused(t, await get(call, `${name}=${wrong}`), name, `${name}=${wrong}`);
    const both = await get(call, 'page=0', 'page_size=0');
    t.ok(
      ['page', 'page_size'].every((name) => names(both).includes(name)),
      'both are named',
    );
    t.equal((await get(call, 'page_size=1000')).status, 200);
    const beyond = await get(call, 'page=1000', 'page_size=1000');
    t.match(beyond.json, { count, next: null, results: { length: 0 } }, 'a page after the last is empty');
    t.match(beyond.json.previous, /^http:\/\/localhost:8080\/v6\//);
    const one = await get(call, 'page_size=1');
    t.equal(one.json.results.length, Math.min(1, count));
    t.equal(one.json.next === null, count < 2, 'a next page when there is one');
    t.match(
      await get(call, 'pgae_size=1'),
      {
        status: 400,
        json: {
          code: 'INVALID_PARAMETER',
          errors: [{ path: 'pgae_size', description: /; did you mean 'page_size'\?$/ }],
        },
      },
      'unknown parameters are refused',
    );
    t.equal(
      (await get(call, '_=1700000000000')).status,
      200,
      'what only keeps caches from answering is ignored',
    );
  });

  t.test(`${call.path}: fields follows the conventions`, async (t) => {
    const whole = (await get(call)).json;
    const field = Object.keys(whole.results[0] ?? {})[0];
    refused(t, await get(call, 'fields=nope'), 'fields', 'fields=nope');
    if (field === undefined) return;
    const { results, ...around } = (await get(call, `fields=${field}`)).json;
    t.strictSame(
      results,
      whole.results.map((one: Record<string, unknown>) => ({ [field]: one[field] })),
    );
    t.strictSame(Object.keys(around), ['count', 'next', 'previous']);
  });

  const order = call.query.find(({ name }) => name === 'order');
  if (order !== undefined) {
    t.test(`${call.path}: order follows the conventions`, async (t) => {
      const fields = valuesOf(order.schema).filter((field) => !field.startsWith('-'));
      t.ok(fields.includes('id') || fields.includes('name'), 'the id, or the name that stands for it');
      for (const field of fields) {
        const [up, down] = [await get(call, `order=${field}`), await get(call, `order=-${field}`)];
        t.strictSame([up.status, down.status], [200, 200], field);
        const ids = (answer: Answer) =>
          answer.json.results.map((one: { id?: number }) => JSON.stringify(one.id));
        t.strictSame(ids(down).sort(), ids(up).sort(), `${field}: the same records`);
      }
      for (const wrong of ['nope', '-', '--id', 'id,name', '__proto__', 'ID'])
        refused(t, await get(call, `order=${wrong}`), 'order', `order=${wrong}`);
      t.equal(
        (await get(call, ...fields.slice(0, 3).map((field) => `order=${field}`))).status,
        200,
        'several',
      );
    });
  }

  t.test(`${call.path}: filters follow the conventions`, async (t) => {
    for (const { name, schema } of call.query) {
      if (['page', 'page_size', 'order', 'fields'].includes(name) || /(^|_)(started|ended)$/.test(name))
        continue;
      const values = SETS[name] ?? valuesOf(schema);
      // Columns and groups choose what is counted, not which records.
      const isRepeatable = schema.items !== undefined && SETS[name] === undefined;
      const answers = isRepeatable
        ? [await get(call, ...values.slice(0, 2).map((value) => `${name}=${value}`))]
        : [];
      for (const value of values.slice(0, 2)) answers.push(await get(call, `${name}=${value}`));
      for (const { status, text } of answers) t.equal(status, 200, `${name}: ${text.slice(0, 200)}`);
      if (isRepeatable && answers.length === 3) {
        const [both, one, other] = answers.map(({ json }) => json.count);
        t.ok(both <= one + other && both >= Math.max(one, other), `${name}: any of the values`);
      }
      const one = schema.items ?? schema;
      if (one.enum !== undefined) refused(t, await get(call, `${name}=nope`), name, `${name}=nope`);
      else if (one.type === 'integer' || one.type === 'boolean')
        for (const wrong of ['x', '', '1.5'])
          refused(t, await get(call, `${name}=${wrong}`), name, `${name}=${wrong}`);
      else
        t.equal(
          (await get(call, `${name}=`)).json.count,
          (await get(call)).json.count,
          `${name}: empty is absent`,
        );
    }
  });
}

for (const call of served.filter(({ query }) => query.some(({ name }) => /(^|_)started$/.test(name)))) {
  t.test(`${call.path}: ranges of time follow the conventions`, async (t) => {
    for (const { name: started } of call.query.filter(({ name }) => /(^|_)started$/.test(name))) {
      const ended = started.replace(/started$/, 'ended');
      const range = (from: string, to?: string) =>
        get(
          call,
          `${started}=${encodeURIComponent(from)}`,
          ...(to === undefined ? [] : [`${ended}=${encodeURIComponent(to)}`]),
        );
      for (const from of [
        ago(2),
        'PT2H',
        'P1D',
        'P1DT6H',
        ago(2).replace('Z', '+00:00'),
        '2026-01-31T00:00:00-01:00',
      ]) {
        const { status, text } = await range(from);
        t.ok([200, 404].includes(status), `${started}=${from}: ${text.slice(0, 200)}`);
      }
      if (!call.query.some(({ name }) => name === ended)) continue;
      t.ok([200, 404].includes((await range('PT5H', 'PT1H')).status));
      for (const [from, to] of [
        [ago(1), ago(2)],
        ['PT1H', 'PT2H'],
        [ago(1), ago(1)],
        ['PT0S', undefined],
        [ago(-1), undefined],
        ['yesterday', undefined],
        ['2026-01-01T00:00:00', undefined],
        ['P', undefined],
        ['2026-02-30T00:00:00Z', undefined],
      ] as const)
        refused(t, await range(from, to), started, `${started}=${from} ${ended}=${to}`);
      refused(t, await range(ago(5), 'soon'), ended, `${ended}=soon`);
    }
  });
}

t.test('conventions: HEAD is GET without a body, OPTIONS and 405 name the methods', async (t) => {
  for (const path of new Set(served.map((call) => call.path))) {
    const methods = served.filter((call) => call.path === path).map(({ method }) => method);
    const target = targetOf(path);
    const options = await caller.call('OPTIONS', target);
    t.ok([200, 204].includes(options.status), `OPTIONS ${path}`);
    const allowed = (answer: Answer) => (answer.headers.get('allow') ?? '').split(/,\s*/);
    for (const method of methods) t.ok(allowed(options).includes(method), `${path} allows ${method}`);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.includes(one))) {
      const answer = await caller.call(method, target, method === 'GET' ? undefined : {});
      // What is no record of one path may be the name of another.
      if (answer.status === 404) continue;
      t.equal(answer.status, 405, `${method} ${path}: ${answer.text.slice(0, 100)}`);
      t.ok(
        methods.every((one) => allowed(answer).includes(one)),
        `${path}: Allow of a 405`,
      );
    }
  }
  for (const call of lists) {
    const query = needs(call).join('&');
    const [head, whole] = [await caller.call('HEAD', `${call.target}?${query}`), await get(call)];
    // Its body is left out by the server (test/http/native/server.test.ts).
    t.equal(head.status, whole.status, `HEAD ${call.path}`);
    t.equal(head.headers.get('content-type'), whole.headers.get('content-type'));
  }
});

t.test('conventions: bodies must be JSON objects', async (t) => {
  for (const { method, path, target, operation } of served) {
    // The content of a file may be anything.
    if (operation.requestBody?.content?.['application/json'] === undefined) continue;
    const isCheck = path.endsWith('/validation/');
    const send = (body: string, type = 'application/json') =>
      caller.call(method, target, body, { 'content-type': type, 'content-length': String(body.length) });
    for (const body of ['[]', '1', '"x"', 'null', '{', '{"a":1}}'])
      t.equal((await send(body)).status, 400, `${method} ${path} ${body}`);
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x'])
      t.equal((await send('{}', type)).status, 415, `${method} ${path} ${type}`);
    const deep = await send(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`);
    t.ok(deep.status === 400 || (isCheck && deep.json.is_valid === false), `${method} ${path}: too deep`);
    if (isCheck)
      t.match((await send('{}')).json, { is_valid: false, errors: Array }, `${path}: nothing given`);
  }
});

t.test('conventions: an unknown object is a 404 in the form of every refusal', async (t) => {
  for (const { method, path, operation } of served) {
    if (!path.includes('{id}')) continue;
    const target = targetOf(path.replace('{id}', '999999999'));
    const { status, json, text } = await caller.call(
      method,
      target,
      operation.requestBody === undefined ? undefined : {},
    );
    if (operation.requestBody !== undefined && status === 400) continue;
    t.equal(status, 404, `${method} ${path}: ${text.slice(0, 100)}`);
    t.match(json, { detail: String, code: 'NOT_FOUND', errors: Array }, `${method} ${path}`);
  }
  t.equal((await caller.get('/v6/nothing-of-this-name/')).status, 404);
});

t.test('conventions: every status of an answer in this test is declared', async (t) => {
  t.strictSame([...undeclared], []);
});

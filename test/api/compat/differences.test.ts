import t from 'tap';
import { DIFFERENCES } from '../../../src/api/compat/differences.ts';
import { changeAt, valueAt } from '../../../src/api/compat/places.ts';
import { SPECIAL_CALLS } from '../../../src/api/compat/special-calls.ts';
import { SPELLED } from '../../../src/api/compat/spellings.ts';
import { definedNode, flattened, sentAs, withoutBlanks } from '../../../src/api/compat/translations.ts';
import { deletionRoutes } from '../../../src/api/deletions/routes.ts';
import { apiRoutes } from '../../../src/api/resources.ts';
import { serviceRoutes } from '../../../src/api/service.ts';

const routes = apiRoutes('1.0.0');
const served = new Set(serviceRoutes('1.0.0').map(({ method, path }) => `${method} ${path}`));
/** Once more for clients of the public system. */
const isRepeated = ({ method, path }: { readonly method: string; readonly path: string }) =>
  served.has(`${method} /api${path}`);

t.test('clients: the tables name only calls and bodies that exist', (t) => {
  const byCall = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  const tables = [...DIFFERENCES, ...SPELLED, ...SPECIAL_CALLS.map(({ call }) => ({ calls: [call] }))];
  for (const call of tables.flatMap(({ calls }) => calls)) t.ok(byCall.has(call), call);
  for (const { calls, part } of DIFFERENCES) {
    const read = calls.filter((call) => part === 'answer' || byCall.get(call)?.bodyRule !== 'none');
    t.strictSame(read, calls);
  }
  t.end();
});

t.test('clients: every call is served, except deletions, trials, files by path and descriptions', (t) => {
  const absent = routes.filter((route) => !isRepeated(route));
  t.strictSame(
    absent.map(({ path }) => path),
    [
      '/v6/',
      ...['GET', 'PUT'].map(() => '/v6/workspaces/{name}/files/{path}'),
      '/v6/workspaces/{name}/uploads/',
      ...['GET', 'PATCH', 'DELETE', 'POST'].map(() => '/v6/workspaces/{name}/uploads/{upload}/'),
      '/v6/job-types/try/',
      ...deletionRoutes.map(({ path }) => path),
      '/v6/openapi.json',
    ],
  );
  t.end();
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}

/** Places of the field in what the schema describes. */
function placesOf(field: string, schema: Schema, at = ''): readonly string[] {
  const below = (step: string) => (at === '' ? step : `${at}.${step}`);
  const { properties = {}, patternProperties = {}, anyOf = [], items } = schema;
  return [
    ...(Object.hasOwn(properties, field) ? [at] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => placesOf(field, inner, below(name))),
    ...Object.values(patternProperties).flatMap((inner) => placesOf(field, inner, below('*'))),
    ...anyOf.flatMap((one) => placesOf(field, one, at)),
    ...(items === undefined ? [] : placesOf(field, items, `${at}[]`)),
  ];
}

t.test('clients: records have no object_version', (t) => {
  const shown = routes
    .filter((route) => isRepeated(route) && route.path !== '/v6/changes/')
    .flatMap(({ method, path, replies }) =>
      Object.values(replies).flatMap((schema) =>
        placesOf('object_version', schema as Schema).map((at) => `${method} ${path} ${at}`),
      ),
    );
  const left = DIFFERENCES.filter(({ says }) => says.includes('object_version')).flatMap(({ calls, at }) =>
    calls.map((call) => `${call} ${at}`),
  );
  t.strictSame(
    [...new Set(shown)].filter((place) => !left.includes(place)),
    [],
  );
  const answer = { results: [{ id: 7, object_version: 3, configuration: { object_version: 1 } }] };
  const own = DIFFERENCES.filter(({ calls, part }) => part === 'answer' && calls.includes('GET /v6/jobs/'));
  t.strictSame(
    own.reduce<unknown>((value, { at, change }) => changeAt(value, at, change), answer),
    { results: [{ id: 7, configuration: { object_version: 1 } }] },
  );
  t.end();
});

t.test('clients: answers are translated in copies, and only where they differ', (t) => {
  const before = { a: { b: [{ c: 1 }, 7, null] }, d: { e: { f: 1 } } };
  const kept = structuredClone(before);
  const double = (holder: object) => ({ ...holder, doubled: true });
  t.strictSame(changeAt(before, 'a.b[]', double), {
    ...before,
    a: { b: [{ c: 1, doubled: true }, 7, null] },
  });
  t.strictSame(changeAt(before, 'd.*', double), { ...before, d: { e: { f: 1, doubled: true } } });
  t.strictSame(before, kept);
  for (const path of ['x', 'a.x', 'a.b.c', 'd[]', 'a[].b', 'd.e.f'])
    t.equal(changeAt(before, path, double), before, `nothing at ${path}`);
  for (const odd of [null, 7, 'text', [], undefined]) t.equal(changeAt(odd, 'a.b', double), odd);
  const plain = { a: 1 };
  t.equal(changeAt(plain, 'constructor', double), plain, 'what is inherited is not there');
  t.equal(valueAt(plain, 'b.c'), undefined);
  t.end();
});

t.test('clients: bodies are translated in place, without copies', (t) => {
  const configuration = {
    version: '6',
    monitor: { type: 's3', a: '' },
    files_to_ingest: [{ new_workspace: '' }],
  };
  const body = { configuration, docker_image: 'i' };
  const [{ monitor, files_to_ingest: rules }, rule] = [configuration, configuration.files_to_ingest[0]];
  const own = DIFFERENCES.filter(({ part }) => part === 'body').filter(({ calls }) =>
    calls.some((call) => ['POST /v6/scans/', 'POST /v6/job-types/'].includes(call)),
  );
  const read = own.reduce<unknown>((value, { at, change }) => changeAt(value, at, change), body);
  t.equal(read, body);
  t.strictSame(body as object, {
    configuration: { scanner: { type: 'objstore' }, files_to_ingest: [{}] },
    container_image: 'i',
  });
  t.equal(body.configuration, configuration);
  t.equal((configuration as { scanner?: object }).scanner, monitor);
  t.equal(configuration.files_to_ingest, rules);
  t.equal(rules[0], rule);
  t.end();
});

t.test('clients: bodies are read leniently', (t) => {
  const named = sentAs('theirs', 'ours');
  t.strictSame(named({ theirs: 1, ours: 2 }), { ours: 1 });
  t.strictSame(named({ theirs: null, ours: 2 }), { ours: 2 }, 'null says nothing');
  t.strictSame(named({ theirs: null }), { ours: null });
  t.strictSame(named({ ours: 2 }), { ours: 2 });
  t.strictSame(withoutBlanks({ a: '', b: null, c: 0, d: false, e: [] }), { c: 0, d: false, e: [] });
  const flat = flattened('list');
  t.strictSame(flat({ list: [['a', 'b'], 'c', [null], ''], other: [['x']] }), {
    list: ['a', 'b', 'c'],
    other: [['x']],
  });
  t.strictSame(flat({ list: [[]] }), {});
  t.strictSame(flat({ list: 'text' }), { list: 'text' }, 'what is no list is refused by others');
  t.strictSame(
    definedNode({ node_type: { node_type: 'job', job_type_name: 'a', job_id: 7, status: 'X' }, job_id: 7 }),
    {
      node_type: { node_type: 'job', job_type_name: 'a' },
    },
  );
  t.strictSame(definedNode({ node_type: { node_type: 'other', a: 1 } }), {
    node_type: { node_type: 'other', a: 1 },
  });
  for (const name of ['constructor', 'toString', '__proto__']) {
    const node = { node_type: { node_type: name, a: 1 } };
    t.strictSame(definedNode(node), node, 'what every object has is no type of node');
  }
  t.strictSame(definedNode({ node_type: 7, input: {} }), { input: {}, node_type: 7 });
  t.end();
});

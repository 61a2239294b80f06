import t from 'tap';
import { type Call, callsOf, servedCalls } from '../../scripts/contract/contract.ts';
import { contractPage, holdRows, unheld, wronglyMissed } from '../../scripts/contract/page.ts';
import { testsIn } from '../../scripts/contract/tests.ts';

const CALL: Call = {
  method: 'PATCH',
  path: '/v6/things/{id}/',
  parameters: ['page'],
  bodyFields: ['title', 'inner.depth'],
  replyFields: ['id', 'results[].size'],
  statuses: ['200'],
};
/** A placeholder as it stands in the text of a test. */
const SLOT = ['$', '{part}'].join('');
const FILE = 'test/api/things.test.ts';

function rowsWith(text: string, file = FILE) {
  return holdRows([CALL], testsIn(file, text));
}

const named = (text: string, file?: string) =>
  rowsWith(text, file)
    .filter(({ test, isHeldBySchema }) => test !== undefined && !isHeldBySchema)
    .map(({ word }) => word);

t.test('contract: a file is split into its tests, each with the code before the first', async (t) => {
  const tests = testsIn(FILE, "const a = 1;\nt.test('one', () => {});\nt.test(\n  'two',\n  () => 2);\n");
  t.strictSame(
    tests.map(({ name }) => name),
    ['one', 'two'],
  );
  t.match(tests[1]?.text, /=> 2[\s\S]*const a/);
  t.notMatch(tests[1]?.text, /'one'/);
});

t.test('contract: a test covers the call, parameters and fields that it names', async (t) => {
  const all = `t.test('x', () => patch(\`/v6/things/${SLOT}/?page=1\`, { title: 1, depth: 2 }, { id, size: 3 }))`;
  t.strictSame(named(all), ['/v6/things/{id}/', 'page', 'title', 'inner.depth', 'id', 'results[].size']);
  t.strictSame(unheld(rowsWith(all)), []);
});

t.test('contract: another method, another path or a part of a word covers nothing', async (t) => {
  t.strictSame(named("t.test('x', () => get('/v6/things/1/', 'title'))"), []);
  t.strictSame(named("t.test('x', () => patch('/v6/things/1/more', 'title'))"), []);
  t.strictSame(named("t.test('x', () => patch('/v6/thing/1/', 'title'))"), []);
  t.strictSame(named("t.test('x', () => patch('/v6/things/1/', 'subtitle'))"), ['/v6/things/{id}/']);
});

t.test('contract: a composed path is recognized', async (t) => {
  t.strictSame(named(`t.test('x', () => patch(\`/v6/${SLOT}/1/\`, 'title'))`), ['/v6/things/{id}/', 'title']);
  t.strictSame(named(`t.test('x', () => patch(\`${SLOT}1/\`, 'title'))`, 'test/api/other.test.ts'), []);
});

t.test(
  'contract: a field that no test names is covered by its schema where replies are checked',
  async (t) => {
    const text = "t.test('x', () => patch('/v6/things/1/', { title, depth, page }))";
    const schema = rowsWith(text).filter(({ isHeldBySchema }) => isHeldBySchema);
    t.strictSame(
      schema.map(({ word }) => word),
      ['id', 'results[].size'],
    );
    t.match(
      contractPage(rowsWith(text)),
      /- reply: `id`, `results\[\]\.size` — form only: `test\/api\/things/,
    );
    t.strictSame(unheld(rowsWith(text, 'test/e2e/things.test.ts')), [
      'no test holds, of PATCH /v6/things/{id}/: reply id, reply results[].size',
    ]);
  },
);

t.test('contract: fields are found at all depths, also in alternatives and references', async (t) => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
      maybe: { anyOf: [{ type: 'object', properties: { inside: {} } }, { type: 'null' }] },
    },
  };
  const operation = {
    ...{ operationId: 'x', tags: [], summary: '', security: [], 'x-access': 'open' as const },
    parameters: [
      { name: 'id', in: 'path' as const, required: true, schema: {} },
      { name: 'page', in: 'query' as const, required: false, schema: {} },
    ],
    responses: {
      200: { description: '', content: { 'application/json': { schema } } },
      default: {
        description: '',
        content: { 'application/json': { schema: { properties: { detail: {} } } } },
      },
    },
  };
  const [call] = callsOf({
    openapi: '3.1.0',
    info: { title: '', version: '', description: '', license: { name: '', identifier: '' } },
    servers: [],
    paths: { '/x/': { get: operation } },
    components: {
      schemas: { Part: { type: 'object', properties: { deep: {} } } },
      securitySchemes: {},
      responses: {},
    },
  });
  t.match(call, { parameters: ['page'], statuses: ['200'] });
  t.strictSame(call?.replyFields, ['list', 'list[].deep', 'maybe', 'maybe.inside']);
});

t.test('contract: it contains the served routes', async (t) => {
  const workspaces = servedCalls().find(({ method, path }) => `${method} ${path}` === 'POST /v6/workspaces/');
  const fields = ['title', 'description', 'base_url', 'is_active', 'labels', 'configuration', 'name'];
  t.strictSame(workspaces?.bodyFields, fields);
});

t.test('contract: a served call must not be listed as missing', async (t) => {
  const text =
    'See `PATCH /v6/things/{id}/`.\n## Not served yet\n- `GET /v6/things/{id}/`, `POST /v6/others/`\n';
  t.strictSame(wronglyMissed([CALL], text), []);
  t.strictSame(wronglyMissed([CALL], `${text}- `.concat('`PATCH /v6/things/{name}/`')), [
    'docs/interface.md says that PATCH /v6/things/{name}/ is not served: it is',
  ]);
});

/** The cursor that lists and records come with. */
import t from 'tap';
import { apiDeps } from '../../../src/api/deps.ts';
import { serviceRoutes } from '../../../src/api/service.ts';
import { OpenStreams } from '../../../src/auth/open-streams.ts';
import { addTick } from '../../../src/store/change/ticks.ts';
import { heardSql } from '../../store/sql/heard-sql.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller, NOW_MS } from '../../support/http.ts';
import { idleParts } from '../../support/idle-parts.ts';
import { silentLog } from '../../support/silent-log.ts';

const store = await storeWorld(t);
const { sql } = store.db;
while (await addTick(sql));

type Answers = Readonly<Record<number, { readonly headers?: Readonly<Record<string, unknown>> }>>;

const asked: string[] = [];
let before: (text: string) => Promise<void> = async () => undefined;
/** Lets something happen right before a statement. */
const watched = heardSql(sql, ({ text }) => {
  asked.push(text);
  return before(text);
});
const limits = { perCaller: 1, all: 1 };
const streams = new OpenStreams({ sql, limits, nowMs: () => NOW_MS, log: silentLog });
t.teardown(() => streams.stop());
const routes = serviceRoutes('any');
const { get, dispatcher } = makeCaller(routes, apiDeps(idleParts(watched, { streams, log: silentLog })));

t.test('cursor: a change between the position and the list is reported after it', async (t) => {
  before = async (text) => {
    if (!text.includes('from node')) return;
    before = async () => undefined;
    await store.rows('update node set is_paused = not is_paused');
    await addTick(sql);
  };
  const nodes = await get('/v6/nodes/');
  t.equal(nodes.status, 200);
  const { json } = await get(`/v6/changes/?kind=node&after=${nodes.headers.get('millrace-cursor')}`);
  const told = new Map(json.changes.map((one: { id: number; object_version: number }) => [one.id, one]));
  t.equal(told.size, nodes.json.results.length, 'each node that the list shows as changed');
});

t.test('cursor: the position is not read for each list', async (t) => {
  await get('/v6/nodes/');
  asked.length = 0;
  for (const path of ['jobs', 'files', 'recipes', 'nodes']) {
    const { status, headers } = await get(`/v6/${path}/`);
    t.match([status, headers.get('millrace-cursor')], [200, /^[0-9a-f]{12}-/], path);
  }
  const reads = asked.filter((text) => text.includes('from change_stream'));
  t.ok(reads.length <= 1, `${reads.length} reads`);
});

t.test('cursor: records have one too, and no other answer, and none under /api/', async (t) => {
  const cursorOf = async (target: string) => {
    const { status, headers } = await get(target);
    t.equal(status, 200, target);
    return headers.get('millrace-cursor');
  };
  t.match(await cursorOf(`/v6/nodes/${store.ids.node}/`), /^[0-9a-f]{12}-/);
  for (const target of [
    '/api/v6/nodes/',
    `/api/v6/nodes/${store.ids.node}/`,
    '/v6/errors/',
    '/v6/ingests/status/',
  ]) {
    t.equal(await cursorOf(target), undefined, target);
  }
});

t.test('cursor: the OpenAPI document names the header where it is sent, and nowhere else', async (t) => {
  const { json } = await get('/v6/openapi.json');
  for (const [path, { get: operation }] of Object.entries<{ get?: { responses: Answers } }>(json.paths)) {
    if (operation === undefined) continue;
    const isNamed = operation.responses[200]?.headers?.['Millrace-Cursor'] !== undefined;
    const { replyHeaders = {} } = routes.find((one) => one.method === 'GET' && one.path === path) ?? {};
    t.equal(isNamed, 'Millrace-Cursor' in replyHeaders, path);
  }
  t.match(json.paths['/v6/nodes/'].get.responses[200].headers['Millrace-Cursor'].schema, { type: 'string' });
  const { text } = await get('/docs/');
  t.match(text, /<code>Millrace-Cursor<\/code>/);
  t.match(text, /<h3>WebSocket<\/h3>.*<code>open<\/code>.*<code>refused<\/code>/s);
});

t.test('changes under /api/: they are served in pages only', async (t) => {
  const accept = { accept: 'text/event-stream' };
  t.match(await get('/api/v6/changes/', accept), { status: 200, json: { changes: [] } });
  const head = {
    ...{ id: 'r', method: 'GET', query: '', headers: new Map([['host', 'localhost']]), address: '127.0.0.1' },
    signal: new AbortController().signal,
  };
  t.match(await dispatcher.upgrade({ ...head, path: '/v6/changes/' }), { kind: 'socket' });
  t.match(await dispatcher.upgrade({ ...head, path: '/api/v6/changes/' }), {
    response: { status: 400, body: { text: /no WebSocket is served at this path/ } },
  });
});

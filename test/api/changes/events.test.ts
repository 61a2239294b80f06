/** The stream of changes as server-sent events, over real sockets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { EventClient } from '../../support/clients/event-client.ts';
import { SocketClient } from '../../support/clients/socket-client.ts';
import { changesWorld } from '../../support/worlds/changes-world.ts';

const versionsOf = ({ events }: EventClient) => events.map(({ data }) => data.object_version);
const isTold =
  (count: number) =>
  ({ events }: EventClient) =>
    events.length >= count;

t.test('events: changes are sent as they happen, and a reader that reconnects misses none', async (t) => {
  const { url, reader, change, now } = await changesWorld(t);
  const cursor = await now();
  await change(3);
  const one = await EventClient.open(`${url}?after=${cursor}&kind=node`, reader);
  t.equal(one.response.headers.get('content-type'), 'text/event-stream');
  await one.until(isTold(3));
  await change(2);
  await one.until(isTold(5));
  one.close();
  await change(2);
  // The address is the same as before, as browsers send it.
  const other = await EventClient.open(`${url}?after=${cursor}&kind=node`, {
    ...reader,
    'last-event-id': one.lastId,
  });
  await other.until(isTold(2));
  await change(1);
  await other.until(isTold(3));
  const versions = [...versionsOf(one), ...versionsOf(other)];
  t.same(
    versions,
    [...versions.keys()].map((at) => versions[0] + at),
    'each once, in order',
  );
  t.match(other.events[0], { type: 'message', data: { kind: 'node', what: 'edited', cursor: String } });
  other.close();
});

t.test('events: without a cursor they begin now, and filters select', async (t) => {
  const { url, reader, change, store } = await changesWorld(t);
  await change(2);
  const all = await EventClient.open(url, reader);
  const none = await EventClient.open(`${url}?kind=job&job_type_name=type-a`, reader);
  const nodes = await EventClient.open(`${url}?node_id=${store.ids.node}&node_id=999`, reader);
  await change(1);
  for (const client of [all, nodes]) await client.until(isTold(1));
  t.match(all.events, [{ data: { kind: 'node' } }]);
  t.same(nodes.events, all.events);
  t.same(none.events, []);
  for (const client of [all, none, nodes]) client.close();
});

t.test('events: a type that is created while a filter names it is followed', async (t) => {
  const { url, reader, store, change } = await changesWorld(t);
  const client = await EventClient.open(`${url}?recipe_type_name=late&recipe_type_name=recipe-a`, reader);
  await store.rows(`update recipe_type set title = 'Told'`);
  await change();
  await client.until(isTold(1));
  await store.rows(
    `insert into recipe_type (id, name, title, definition, created, last_modified)
     select id + 1000, 'late', title, definition, created, last_modified from recipe_type limit 1`,
  );
  await change();
  await client.until(isTold(2));
  t.match(client.events[1]?.data, { kind: 'recipe_type', what: 'created' });
  client.close();
});

t.test('events: a wrong query is refused before the stream begins', async (t) => {
  const { url, reader, change } = await changesWorld(t);
  await change();
  const refusal = async (query: string, headers: Record<string, string> = reader) => {
    const response = await fetch(`${url}${query}`, { headers: { accept: 'text/event-stream', ...headers } });
    const { errors, code } = (await response.json()) as { errors: { path: string }[]; code: string };
    return [response.status, code, ...errors.map(({ path }) => path).sort()];
  };
  t.same(await refusal('?kind=jobs&id=x&wrong=1'), [400, 'INVALID_PARAMETER', 'id', 'kind', 'wrong']);
  t.same(await refusal('?limit=1'), [400, 'INVALID_PARAMETER', 'limit']);
  t.same(await refusal('?after=x'), [400, 'INVALID_PARAMETER', 'after']);
  t.same(await refusal('', { ...reader, 'last-event-id': '000000000000-1-1-1' }), [410, 'CHANGES_GONE']);
  t.same(await refusal('', {}), [401, 'UNAUTHENTICATED']);
});

t.test('events: a stream ends with its token, its session or its account', async (t) => {
  const world = await changesWorld(t);
  const { url, store, reader } = world;
  const leaver = await world.account('leaver');
  const token = await world.token(leaver, 'read');
  const session = await world.session('leaver');
  const gone = await world.token(await world.account('gone'), 'read');
  const expiring = await world.token(leaver, 'read', world.nowMs + 60_000);
  const clients = new Map<string, EventClient>();
  for (const [name, headers] of Object.entries({ token, session, gone, expiring, reader })) {
    clients.set(name, await EventClient.open(url, { ...headers }));
  }
  const ends = async (name: string): Promise<void> => {
    const client = clients.get(name);
    await client?.until(({ isClosed }) => isClosed);
    t.match(client?.events.at(-1), { type: 'end', data: { reason: 'lapsed' } }, name);
  };
  // By the rows, as another coordinator changes them.
  await store.rows(`update access_token set revoked = now() where account_id = $1 and expires is null`, [
    leaver,
  ]);
  await ends('token');
  await store.rows(`delete from login_session`);
  await ends('session');
  await store.rows(`update account set is_active = false where username = 'gone'`);
  await ends('gone');
  await store.rows(`update access_token set expires = to_timestamp(0) where expires is not null`);
  await ends('expiring');
  const rest = clients.get('reader');
  t.notOk(rest?.isClosed, 'others continue');
  while (world.access.streams.counts().events > 1) await new Promise(setImmediate);
  t.same(world.access.streams.counts(), { events: 1, sockets: 0, logs: 0 });
  rest?.close();
});

t.test('events: a reader that reads nothing is cut off, and continues from its cursor', async (t) => {
  const { url, reader, change, server, store, access, now } = await changesWorld(t);
  const cursor = await now();
  const socket = connect(server.port, '127.0.0.1');
  const head = Object.entries({ host: '127.0.0.1', accept: 'text/event-stream', ...reader });
  socket.write(`GET /v6/changes/ HTTP/1.1\r\n${head.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n`);
  await once(socket, 'readable');
  socket.pause();
  socket.on('error', () => undefined);
  await store.rows(
    `insert into node (shard, hostname, created, last_modified)
     select 0, 'n' || n, now(), now() from generate_series(1, 2000) n`,
  );
  for (let at = 0; access.streams.counts().events > 0 && at < 500; at += 1) await change(1, 'true');
  t.same(access.streams.counts(), { events: 0, sockets: 0, logs: 0 }, 'it does not count any more');
  const last = await now();
  const other = await EventClient.open(`${url}?after=${cursor}&id=${store.ids.node}&kind=node`, reader);
  await other.until(({ lastId }) => lastId === last);
  const versions = versionsOf(other);
  t.same(
    versions,
    [...versions.keys()].map((at) => versions[0] + at),
  );
  other.close();
  socket.destroy();
});

t.test('events: streams are limited by account and in total, and end with the coordinator', async (t) => {
  const world = await changesWorld(t, { streams: { perCaller: 2, all: 3 } });
  const { url, reader, access } = world;
  const other = await world.token(await world.account('other'), 'read');
  const more = await world.token(await world.account('more'), 'read');
  const clients = [await EventClient.open(url, reader), await EventClient.open(url, reader)];
  t.match((await EventClient.open(url, reader)).response, { status: 429 });
  clients.push(await EventClient.open(url, other));
  t.match((await EventClient.open(url, more)).response, { status: 503 });
  clients.shift()?.close();
  while (access.streams.counts().events > 2) await new Promise(setImmediate);
  clients.push(await EventClient.open(url, reader));
  t.match(clients.at(-1)?.response, { status: 200 });
  access.streams.stop();
  for (const client of clients) {
    await client.until(({ isClosed }) => isClosed);
    t.match(client.text, /^retry: \d+/);
    t.match(client.events.at(-1), { type: 'end', data: { reason: 'stopping' } });
  }
  t.match((await EventClient.open(url, reader)).response, { status: 503 });
});

t.test('events: open streams and sockets do not count as running requests', async (t) => {
  const { url, reader, change, access } = await changesWorld(t, { requestsMax: 1 });
  const clients = [await EventClient.open(url, reader), await EventClient.open(url, reader)];
  const socket = await SocketClient.open(url, reader);
  socket.send({ type: 'open', id: 'a' });
  await socket.next('opened');
  t.same(access.streams.counts(), { events: 2, sockets: 1, logs: 0 });
  t.equal((await fetch(url, { headers: reader })).status, 200);
  await change(1);
  for (const client of clients) await client.until(isTold(1));
  for (const client of clients) client.close();
  socket.close();
});

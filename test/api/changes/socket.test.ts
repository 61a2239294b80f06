/** The stream of changes over WebSockets, over real sockets. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import t, { type Test } from 'tap';
import { SERVICE_MESSAGES } from '../../../src/api/changes/messages.ts';
import { askForSocket, frame, SocketClient } from '../../support/clients/socket-client.ts';
import { changesWorld } from '../../support/worlds/changes-world.ts';

const versions = (changes: readonly { object_version: number }[]) =>
  changes.map(({ object_version: version }) => version);

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Each message of the service has the form that the OpenAPI document publishes for its type, and no other field. */
function checkForms(t: Test, { all }: SocketClient, ...types: readonly string[]): void {
  t.same([...new Set(all.map(({ type }) => type))].sort(), types, 'what was sent');
  for (const message of all) {
    const form = SERVICE_MESSAGES.find(({ properties }) => properties.type.enum[0] === message.type);
    const isFit = ajv.validate({ ...form, additionalProperties: false }, message);
    t.ok(isFit, `${ajv.errorsText()} in ${JSON.stringify(message)}`);
  }
}

t.test('sockets: each subscription has its filters and its cursor', async (t) => {
  const { url, reader, change, now, store, access, server } = await changesWorld(t);
  const cursor = await now();
  await change(2);
  const client = await SocketClient.open(url, reader);
  t.same(access.streams.counts(), { events: 0, sockets: 1, logs: 0 });
  client.send({ type: 'open', id: 'past', filters: { kind: ['node'], id: [store.ids.node] }, after: cursor });
  client.send({ type: 'open', id: 'now', filters: { node_id: [store.ids.node] } });
  client.send({ type: 'open', id: 'none', filters: { kind: ['job'] } });
  for (const id of ['past', 'now', 'none']) t.match(await client.next('opened'), { id, cursor: String });
  await client.until(() => client.changesOf('past').length === 2);
  await change(1);
  await client.until(() => client.changesOf('past').length === 3 && client.changesOf('now').length === 1);
  const past = client.changesOf('past');
  t.same(client.changesOf('now'), past.slice(2));
  t.same(client.changesOf('none'), []);
  client.send({ type: 'close', id: 'past' });
  const closed = await client.next('closed');
  t.match(closed, { id: 'past', cursor: past.at(-1)?.cursor });
  await change(1);
  await client.until(() => client.changesOf('now').length === 2);
  t.equal(client.changesOf('past').length, 3, 'it was closed');
  checkForms(t, client, 'changes', 'closed', 'opened');
  client.close();
  await client.until(() => client.closed !== undefined);
  const other = await SocketClient.open(url, reader);
  other.send({ type: 'open', id: 'past', filters: { node_id: [store.ids.node] }, after: closed.cursor });
  await other.until(() => other.changesOf('past').length === 1);
  const all = versions([...past, ...other.changesOf('past')]);
  t.same(
    all,
    [...all.keys()].map((at) => (all[0] ?? 0) + at),
    'each once, in order',
  );
  other.close();
  while (server.figures().connections > 0) await new Promise(setImmediate);
  t.same(access.streams.counts(), { events: 0, sockets: 0, logs: 0 });
});

t.test('sockets: a wrong message is answered with its problem, and the socket stays open', async (t) => {
  const { url, reader, change } = await changesWorld(t);
  const client = await SocketClient.open(url, reader);
  const refused = async (message: object | string) => {
    client.send(message);
    const { id, code, errors } = await client.next('refused');
    return [id, code, ...errors.map(({ path }: { path: string }) => path).sort()];
  };
  t.same(await refused('{'), [null, 'INVALID_JSON']);
  t.same(await refused(Buffer.from([1, 2])), [null, 'INVALID_REQUEST']);
  t.same(await refused('[]'), [null, 'INVALID_REQUEST', '']);
  for (const none of ['null', '1', '"open"'])
    t.same(await refused(none), [null, 'INVALID_REQUEST', ''], none);
  t.same(
    await refused('{"type":"open","id":"a","filters":{"id":[1e400]}}'),
    ['a', 'INVALID_REQUEST', 'filters.id[0]'],
    'the subscription is named, whatever is wrong',
  );
  t.same(await refused({ type: 'opne', id: 'a' }), ['a', 'INVALID_REQUEST', 'type']);
  const filters = { kind: ['jobs'], id: [0], wrong: 1 };
  t.same(await refused({ type: 'open', id: 'a', filters }), [
    ...['a', 'INVALID_REQUEST', 'filters.id[0]', 'filters.kind[0]', 'filters.wrong'],
  ]);
  t.same(await refused({ type: 'open', id: 'a', after: 'x' }), ['a', 'INVALID_PARAMETER', 'after']);
  t.same(await refused({ type: 'open', id: 'a', after: '000000000000-1-1-1' }), ['a', 'CHANGES_GONE']);
  t.same(await refused({ type: 'close', id: 'a' }), ['a', 'NOT_FOUND', 'id']);
  client.send({ type: 'open', id: 'a' });
  await client.next('opened');
  t.same(await refused({ type: 'open', id: 'a' }), ['a', 'NAME_TAKEN', 'id']);
  for (let at = 0; at < 49; at += 1) {
    client.send({ type: 'open', id: `${at}`, filters: { kind: ['job'] } });
    await client.next('opened');
  }
  t.same(await refused({ type: 'open', id: 'more' }), ['more', 'TOO_MANY_REQUESTS', 'id']);
  await change(1);
  await client.until(() => client.changesOf('a').length === 1);
  client.send(`"${'x'.repeat(70_000)}"`);
  await client.until(() => client.closed !== undefined);
  t.ok(client.closed, 'a message that is too long ends it');
  checkForms(t, client, 'changes', 'opened', 'refused');
});

t.test('sockets: a caller without permission gets the refusal', async (t) => {
  const { url, reader } = await changesWorld(t);
  const asked = async (more: Record<string, string>, at = url) => {
    const answer = await askForSocket(at, { ...reader, ...more });
    if ('socket' in answer) answer.socket.destroy();
    return 'json' in answer ? [answer.status, answer.json.code] : [answer.status];
  };
  const { host, origin } = new URL(url);
  t.same(await asked({}), [101]);
  t.same(await asked({ origin }), [101], 'a page of the service itself');
  t.same(await asked({ origin: 'http://evil.example' }), [403, 'FORBIDDEN']);
  t.same(await asked({ origin: 'null' }), [403, 'FORBIDDEN']);
  t.same(await asked({ host: 'evil.example' }), [403, 'HOST_NOT_ALLOWED']);
  t.same(await asked({ host, origin: 'http://evil.example' }), [403, 'FORBIDDEN']);
  t.same(await asked({ authorization: 'Bearer wrong' }), [401, 'UNAUTHENTICATED']);
  const token = reader.authorization?.split(' ')[1] ?? '';
  t.not(token, '');
  const inAddress = await askForSocket(`${url}?token=${token}`);
  t.match(inAddress, { status: 401 }, 'a token in the address is none');
  t.same(await asked({}, `${url}?token=x`), [400, 'INVALID_PARAMETER']);
  t.same(await asked({}, url.replace('changes', 'nothing')), [404, 'ROUTE_NOT_FOUND']);
});

t.test('sockets: origins, sessions and limits are checked, and a socket ends with its account', async (t) => {
  const world = await changesWorld(t, { streams: { perCaller: 1, all: 10 } });
  const { url, store, reader } = world;
  await world.account('someone');
  const session = await world.session('someone');
  const cookie = { cookie: session.cookie ?? '' };
  const client = await SocketClient.open(url, cookie);
  client.send({ type: 'open', id: 'a' });
  await client.next('opened');
  t.match(await askForSocket(url, cookie), { status: 429, json: { code: 'TOO_MANY_REQUESTS' } });
  const other = await SocketClient.open(url, reader);
  await store.rows(`update account set is_active = false where username = 'someone'`);
  const end = await client.next('end');
  t.match(end, { reason: 'lapsed', cursors: { a: String } });
  await client.until(() => client.closed !== undefined);
  t.match(client.closed, { code: 1008, reason: 'lapsed' });
  checkForms(t, client, 'end', 'opened');
  t.notOk(other.closed);
  world.access.streams.stop();
  t.match(await other.next('end'), { reason: 'stopping' });
  await other.until(() => other.closed !== undefined);
  t.match(other.closed, { code: 1012 });
  t.match(await askForSocket(url, reader), { status: 503, json: { code: 'SHUTTING_DOWN' } });
});

t.test('sockets: a client that reads nothing is cut off', async (t) => {
  const { url, reader, change, store, access } = await changesWorld(t);
  const asked = await askForSocket(url, reader);
  const socket = 'socket' in asked ? asked.socket : t.fail('it was refused');
  if (typeof socket === 'boolean') return;
  socket.on('error', () => undefined);
  socket.write(frame({ type: 'open', id: 'a' }));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  await store.rows(
    `insert into node (shard, hostname, created, last_modified)
     select 0, 'n' || n, now(), now() from generate_series(1, 2000) n`,
  );
  for (let at = 0; access.streams.counts().sockets > 0 && at < 500; at += 1) await change(1, 'true');
  t.same(access.streams.counts(), { events: 0, sockets: 0, logs: 0 });
  let rest = '';
  socket.on('data', (bytes) => {
    rest = (rest + bytes.toString('latin1')).slice(-1_000);
  });
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  t.match(rest, /\{"type":"end","reason":"slow","cursors":\{"a":"[^"]+"\}\}/, 'it is told where to continue');
});

t.test('sockets: a client that exceeds a limit of messages or filters is told, or cut off', async (t) => {
  const { url, reader } = await changesWorld(t);
  const client = await SocketClient.open(url, reader);
  const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  const open = (id: string, filters: object) => client.send({ type: 'open', id, filters });
  open('most', { id: ids(1_000), status: Array(1_000).fill('FAILED') });
  await client.next('opened');
  open('more', { id: ids(1_001), job_id: ids(1_001), status: Array(1_001).fill('FAILED') });
  const { errors } = await client.next('refused');
  t.same(errors.map(({ path }: { path: string }) => path).sort(), [
    ...['filters.id', 'filters.job_id', 'filters.status'],
  ]);
  const name = (length: number) => 'n'.repeat(length);
  open(name(100), {});
  t.match(await client.next('opened'), { id: name(100) });
  open(name(101), {});
  t.match(await client.next('refused'), { errors: [{ path: 'id' }] });
  client.send({ type: 'close', id: 'most', padding: 'x' });
  t.match(await client.next('refused'), { errors: [{ path: 'padding' }] });
  const longest = '{"type":"close","id":"most"}';
  client.send(longest.padEnd(65_536));
  t.match(await client.next('closed'), { id: 'most' }, 'a message of 64 KiB');
  // Each of these waits for the database.
  const gone = { type: 'open', id: 'gone', after: '000000000000-1-1-1' };
  for (let count = 0; count < 300; count += 1) client.send(gone);
  t.match(await client.next('end'), { reason: 'flooded', cursors: { [name(100)]: String } });
  await client.until(() => client.closed !== undefined);
  t.match(client.closed, { code: 1008, reason: 'flooded' });
  checkForms(t, client, 'closed', 'end', 'opened', 'refused');
});

t.test('sockets: a flood of messages in one piece ends the socket, and holds up no other', async (t) => {
  const { url, reader } = await changesWorld(t);
  const asked = await askForSocket(url, reader);
  if (!('socket' in asked)) return t.fail('it was refused');
  const { socket } = asked;
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end(Buffer.concat(Array.from({ length: 20_000 }, () => frame({}))));
  await closed;
  t.ok(received.includes('{"type":"end","reason":"flooded"'), 'it is told why');
  t.ok(received.split('"refused"').length < 200, 'messages beyond those that may wait are not served');
});

t.test('sockets: a client that does not read its answers gets no more of them', async (t) => {
  const { url, reader, access } = await changesWorld(t);
  const asked = await askForSocket(url, reader);
  if (!('socket' in asked)) return t.fail('it was refused');
  const { socket } = asked;
  socket.on('error', () => undefined);
  socket.pause();
  // Each answer repeats the name. Fewer than the library's own limit of 16 MiB.
  const message = largeFrame(JSON.stringify({ type: 'close', id: 'n'.repeat(50_000) }));
  let sent = 0;
  for (; sent < 250 && access.streams.counts().sockets > 0; sent += 1) {
    await new Promise((resolve) => socket.write(message, resolve));
    await fetch(url, { headers: reader });
  }
  t.same(access.streams.counts(), { events: 0, sockets: 0, logs: 0 }, `closed after ${sent} messages`);
  socket.destroy();
});

t.test('sockets: a message of many parts is refused before it is parsed', async (t) => {
  const { url, reader } = await changesWorld(t);
  const client = await SocketClient.open(url, reader);
  client.send(`{"type":"open","id":"a","filters":[${Array(10_000).fill('[]').join()}]}`);
  const { errors } = await client.next('refused');
  t.match(errors, [{ path: '', description: /parts/ }]);
  client.close();
});

/** A text of 126 to 65,535 bytes as a frame of a client. */
function largeFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([
    Buffer.from([0x81, 0x80 | 126, bytes.length >> 8, bytes.length & 0xff, 0, 0, 0, 0]),
    bytes,
  ]);
}

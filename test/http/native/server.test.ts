/** The adaptor over real sockets: what a client can do to a connection, and what it gets. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import { type HttpServer, type ServerOptions, startServer } from '../../../src/http/native/server.ts';
import { defineRoute, reply } from '../../../src/http/route.ts';
import { NO_BODY, streamReply } from '../../../src/http/schema.ts';
import { makeCaller } from '../../support/http.ts';

const LARGE_BYTES = 16 * 1024 * 1024;
const CHUNK = new Uint8Array(256 * 1024).fill(97);

interface World {
  /** What the handlers and streams have done, in order. */
  readonly seen: string[];
  /** Releases what waits in `/wait/`. */
  release: () => void;
}

function makeRoutes(world: World) {
  const echo = defineRoute({
    method: 'POST',
    path: '/echo/',
    summary: 'Echo',
    body: Type.Object({ text: Type.String() }),
    replies: { 200: Type.Object({ length: Type.Integer() }) },
    handle: ({ body }) => reply(200, { length: body.text.length }),
  });
  const large = defineRoute({
    method: 'GET',
    path: '/large/',
    summary: 'One large answer',
    replies: { 200: Type.Object({ text: Type.String() }) },
    handle: () => reply(200, { text: 'a'.repeat(LARGE_BYTES) }),
  });
  async function* chunks() {
    try {
      for (let sent = 0; sent < LARGE_BYTES; sent += CHUNK.byteLength) {
        world.seen.push('chunk');
        yield CHUNK;
      }
    } finally {
      world.seen.push('stream freed');
      world.release();
    }
  }
  const stream = defineRoute({
    method: 'GET',
    path: '/stream/',
    summary: 'A stream',
    replies: { 200: streamReply() },
    handle: ({ request }) =>
      reply(200, { stream: chunks(), ...(request.rawQuery === 'sized' ? { length: LARGE_BYTES } : {}) }),
  });
  const broken = defineRoute({
    method: 'GET',
    path: '/broken/',
    summary: 'A stream that is shorter than it says',
    replies: { 200: streamReply() },
    handle: () => reply(200, { stream: chunks(), length: LARGE_BYTES + 1 }),
  });
  const wait = defineRoute({
    method: 'GET',
    path: '/wait/',
    summary: 'Waits',
    replies: { 204: NO_BODY },
    async handle({ request }) {
      request.signal.addEventListener('abort', () => {
        world.seen.push('aborted');
        world.release();
      });
      world.seen.push('waiting');
      await new Promise<void>((resolve) => {
        world.release = resolve;
      });
      return reply(204);
    },
  });
  return [echo, large, stream, broken, wait];
}

function logTo(world: World): ServerOptions['log'] {
  return {
    debug: () => {},
    warn: (event) => {
      world.seen.push(event);
    },
    error: (event) => {
      world.seen.push(event);
    },
  };
}

async function serve(
  t: Test,
  host = '127.0.0.1',
): Promise<{ server: HttpServer; world: World; open: () => Promise<Client> }> {
  const world: World = { seen: [], release: () => {} };
  const { dispatcher } = makeCaller(makeRoutes(world), {}, { isCheckingReplies: false, log: logTo(world) });
  let requestCount = 0;
  const server = await startServer({
    host,
    port: 0,
    dispatcher,
    log: logTo(world),
    newRequestId: () => `request-${++requestCount}`,
    bufferedBytesMax: 4_000_000,
    connectionsMax: 40,
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  const open = async () => {
    const socket = connect(server.port, host);
    socket.on('error', () => {}); // a reset is the subject of some tests
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    return new Client(socket);
  };
  return { server, world, open };
}

/** A connection whose received bytes are gathered, with waits that end when they are fulfilled. */
class Client {
  readonly socket: Socket;
  received = '';
  isClosed = false;
  #onChange: () => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      this.received += text;
      this.#onChange();
    });
    socket.on('close', () => {
      this.isClosed = true;
      this.#onChange();
    });
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Waits until `done` holds; the test's own time-out is the deadline. */
  async until(done: () => boolean): Promise<void> {
    while (!done()) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }

  /** Waits for as many status lines. */
  async answers(count: number): Promise<string[]> {
    const statuses = () =>
      [...this.received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
    await this.until(() => statuses().length >= count || this.isClosed);
    return statuses();
  }
}

const POST_HEAD = 'POST /echo/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const post = (body: string) => `${POST_HEAD}Content-Length: ${body.length}\r\n\r\n${body}`;
const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

t.test(
  'server: a second listener on the same port is refused, with the address as it is typed',
  async (t) => {
    for (const [host, shown] of [
      ['127.0.0.1', '127.0.0.1'],
      ['::1', '[::1]'],
    ] as const) {
      const { server } = await serve(t, host);
      const { port } = server;
      const { dispatcher } = makeCaller([], {});
      const again = startServer({
        ...{ host, port, dispatcher, bufferedBytesMax: 1, connectionsMax: 1 },
        log: { debug: () => {}, warn: () => {}, error: () => {} },
        newRequestId: () => 'x',
      });
      await t.rejects(again, {
        ...{ name: 'AppError', code: 'ADDRESS_IN_USE' },
        message: `cannot listen on ${shown}:${port}: is it in use, or not an address of this host?`,
      });
    }
  },
);

t.test('server: a body that comes in many pieces is handled whole', async (t) => {
  const client = await (await serve(t)).open();
  const request = post(JSON.stringify({ text: 'x'.repeat(1000) }));
  client.socket.setNoDelay(true);
  // Not within the request line: the library answers 505 if a packet ends inside ' HTTP/1.1'.
  const cut = request.indexOf('\r\n') + 2;
  client.send(request.slice(0, cut));
  for (const character of request.slice(cut, 200)) client.send(character);
  client.send(request.slice(200));
  t.same(await client.answers(1), ['200']);
  await client.until(() => client.received.includes('{"length":1000}'));
});

t.test('server: a chunked upload is read like any other', async (t) => {
  const client = await (await serve(t)).open();
  client.send(`${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\n{"text":"\r\n`);
  client.send('3\r\nabc\r\n2\r\n"}\r\n0\r\n\r\n');
  t.same(await client.answers(1), ['200']);
  await client.until(() => client.received.includes('{"length":3}'));
});

t.test(
  'server: a request sent before the last answer ends the connection, and answers never mix',
  async (t) => {
    const { open, world } = await serve(t);
    const client = await open();
    client.send(get('/wait/') + get('/nowhere/'));
    await client.until(() => client.isClosed);
    t.equal(client.received, '');
    t.ok(world.seen.includes('aborted'));
  },
);

t.test('server: pipelined requests that need no waiting are answered in order', async (t) => {
  const client = await (await serve(t)).open();
  client.send(post('{"text":"ab"}') + post('{"text":1}') + get('/nowhere/') + post('{"text":"abc"}'));
  t.same(await client.answers(4), ['200', '400', '404', '200']);
});

t.test('server: a body whose declared length is over the limit is refused before it comes', async (t) => {
  const client = await (await serve(t)).open();
  client.send(`${POST_HEAD}Content-Length: 1048577\r\n\r\n`);
  t.same(await client.answers(1), ['413']);
  client.send(`${'a'.repeat(1_048_577)}${get('/nowhere/')}`);
  t.same(await client.answers(2), ['413', '404'], 'what comes nevertheless is passed over');
});

t.test('server: a body without a declared length is refused once it is over the limit', async (t) => {
  const { open } = await serve(t);
  const client = await open();
  client.send(`${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const piece = 'a'.repeat(0x10000);
  for (let index = 0; index < 17; index += 1) client.send(`10000\r\n${piece}\r\n`);
  t.same(await client.answers(1), ['413']);
  const other = await open();
  other.send(post('{"text":"ab"}'));
  t.same(await other.answers(1), ['200'], 'the service continues');
});

t.test('server: too many bodies at once are answered 503, and their memory is released', async (t) => {
  const { open } = await serve(t);
  const clients = await Promise.all(Array.from({ length: 5 }, open));
  const body = JSON.stringify({ text: 'x'.repeat(980_000) });
  for (const client of clients) client.send(post(body).slice(0, -1)); // all but the last byte
  await Promise.race(clients.map((client) => client.answers(1)));
  const refused = clients.filter((client) => client.received !== '');
  t.match(refused[0]?.received, /503 Service Unavailable[\s\S]*retry-after[\s\S]*OVERLOADED/);
  for (const client of clients) if (!refused.includes(client)) client.send('}');
  for (const client of clients) if (!refused.includes(client)) t.same(await client.answers(1), ['200']);
  const next = await open();
  next.send(post(body));
  t.same(await next.answers(1), ['200']);
});

t.test('server: an upload that is broken off leaves nothing behind', async (t) => {
  const { open, server } = await serve(t);
  const client = await open();
  client.send(post('{"text":"abc"}').slice(0, -5));
  client.socket.resetAndDestroy();
  const other = await open();
  other.send(post('{"text":"ab"}'));
  t.same(await other.answers(1), ['200']);
  const never = new AbortController().signal;
  await server.stop(never); // waits for open exchanges: there are none
});

t.test('server: the handler learns that its client has disconnected', async (t) => {
  const { open, world } = await serve(t);
  const client = await open();
  client.send(get('/wait/'));
  const other = await open();
  while (!world.seen.includes('waiting')) await roundTrip(other);
  client.socket.resetAndDestroy();
  while (!world.seen.includes('aborted')) await roundTrip(other);
  t.notMatch(world.seen.join(), /broken|failed/);
});

async function roundTrip(client: Client): Promise<void> {
  const count = (await client.answers(0)).length;
  client.send(get('/nowhere/'));
  await client.answers(count + 1);
}

t.test('server: a slow reader gets the whole of a large answer', async (t) => {
  const client = await (await serve(t)).open();
  client.socket.pause();
  client.send(get('/large/'));
  const other = setInterval(() => client.socket.resume(), 1); // reads a little, rests a little
  t.teardown(() => clearInterval(other));
  client.socket.on('data', () => client.socket.pause());
  const expected = LARGE_BYTES + '{"text":""}'.length;
  await client.until(() => client.received.length - client.received.indexOf('\r\n\r\n') - 4 >= expected);
  t.match(client.received.slice(0, 1000), new RegExp(`content-length: ${expected}`, 'i'));
  t.ok(client.received.endsWith('a"}'));
});

for (const target of ['/stream/', '/stream/?sized']) {
  t.test(`server: ${target} is pulled no faster than it is read`, async (t) => {
    const { open, world } = await serve(t);
    const client = await open();
    client.socket.pause();
    client.send(get(target));
    const other = await open();
    while (!world.seen.includes('chunk')) await roundTrip(other);
    for (let index = 0; index < 20; index += 1) await roundTrip(other);
    t.ok(world.seen.length < LARGE_BYTES / CHUNK.byteLength, `${world.seen.length} chunks pulled unread`);

    client.socket.resume();

    await client.until(() => client.received.length > LARGE_BYTES);
    while (!world.seen.includes('stream freed')) await roundTrip(other);
    client.send(get('/nowhere/'));
    t.same((await client.answers(2)).slice(0, 2), ['200', '404'], 'the connection continues');
  });

  t.test(`server: the source of ${target} is freed when the reader goes away`, async (t) => {
    const { open, world } = await serve(t);
    const client = await open();
    client.socket.pause();
    client.send(get(target));
    const other = await open();
    while (!world.seen.includes('chunk')) await roundTrip(other);
    client.socket.resetAndDestroy();
    while (!world.seen.includes('stream freed')) await roundTrip(other);
    t.notMatch(world.seen.join(), /broken/);
  });
}

t.test('server: a stream that ends too early breaks the connection instead of pretending', async (t) => {
  const { open, world } = await serve(t);
  const client = await open();
  client.send(get('/broken/'));
  await client.until(() => client.isClosed);
  t.equal(world.seen.at(-1), 'http_exchange_broken');
});

t.test('server: HEAD answers with the length and no body', async (t) => {
  const client = await (await serve(t)).open();
  client.send('HEAD /large/ HTTP/1.1\r\nHost: localhost\r\n\r\n');
  t.same(await client.answers(1), ['200']);
  client.send(get('/nowhere/'));
  t.same(await client.answers(2), ['200', '404'], 'the connection continues');
  t.match(client.received, new RegExp(`content-length: ${LARGE_BYTES + 11}`, 'i'));
  t.ok(client.received.length < 2000);
});

t.test('server: headers of many kilobytes are read, and endless ones are refused', async (t) => {
  const { open } = await serve(t);
  const client = await open();
  client.send(get(`/nowhere/?${'status=QUEUED&'.repeat(3000)}`));
  t.same(await client.answers(1), ['404']);
  const endless = await open();
  endless.send(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(200_000)}`);
  const [status] = await endless.answers(1);
  t.ok(status === undefined ? endless.isClosed : /4\d\d/.test(status), `status ${status}`);
});

t.test('server: a stop lets running requests end, and takes no new ones', async (t) => {
  const { open, world, server } = await serve(t);
  const client = await open();
  client.send(get('/wait/'));
  const other = await open();
  while (!world.seen.includes('waiting')) await roundTrip(other);

  const stopped = server.stop(new AbortController().signal);
  await t.rejects(open(), 'no new connection');
  world.release();

  t.same(await client.answers(1), ['204']);
  await stopped;
  await client.until(() => client.isClosed);
});

t.test('server: a stop gives up on requests that do not end', async (t) => {
  const { open, world, server } = await serve(t);
  const client = await open();
  client.send(get('/wait/'));
  const other = await open();
  while (!world.seen.includes('waiting')) await roundTrip(other);
  const giveUp = new AbortController();
  const stopped = server.stop(giveUp.signal);
  giveUp.abort();
  await stopped;
  await client.until(() => client.isClosed);
  t.ok(world.seen.includes('aborted'));
});

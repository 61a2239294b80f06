/** Large bodies of callers who may not send them: refused from the head, or from the first piece; never gathered. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import { serviceRoutes } from '../../../src/api/service.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { bodyBytesMaxOf, OPEN_BODY_BYTES_MAX } from '../../../src/http/body/limits.ts';
import type { Dispatcher } from '../../../src/http/dispatch.ts';
import { startServer } from '../../../src/http/native/server.ts';
import { accessOf, defineRoute, type Route, reply } from '../../../src/http/route.ts';
import { eventually } from '../../support/agent/eventually.ts';
import { makeCaller, OPEN_FILTER } from '../../support/http.ts';
import { accessWorldOf } from '../../support/worlds/access-world.ts';

const ROUTES: readonly Route<never>[] = serviceRoutes('1.0.0');
const MIB = 1_048_576;
const PIECE = 70_000;
const CALLERS = 20;
/** What all bodies together may have: much less than these callers want to send. */
const HELD_MAX = 3 * MIB;

class Client {
  readonly socket: Socket;
  received = '';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined); // it is refused while it still sends
    socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
    });
  }

  async status(): Promise<number> {
    const found = () => /^HTTP\/1\.1 (\d{3})/.exec(this.received)?.[1];
    await eventually(() => found() !== undefined || this.socket.destroyed, 'an answer');
    return Number(found());
  }
}

async function serverOf(t: Test, dispatcher: Dispatcher, bufferedBytesMax: number) {
  const log = { debug: () => {}, warn: () => {}, error: () => {} };
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, dispatcher, log, newRequestId: () => 'x' },
    ...{ bufferedBytesMax, connectionsMax: 1_000 },
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  return async (method: string, path: string, headers: Readonly<Record<string, string>>): Promise<Client> => {
    const socket = connect(server.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    const all = { host: 'localhost', 'content-type': 'application/json', ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return new Client(socket);
  };
}

t.test('unknown callers: every route refuses them before it reads their body', async (t) => {
  const world = await accessWorldOf(t, {}, ROUTES, () => ({}) as never);
  const begin = await serverOf(t, world.dispatcher, 8 * MIB);
  const reader = await world.token(await world.account('reader'), 'read');
  const nobody = { authorization: 'Bearer mlr_nothing' };
  const taking = ROUTES.filter((one) => one.bodyRule !== 'none' && bodyBytesMaxOf(one) > OPEN_BODY_BYTES_MAX);
  t.ok(taking.length > 50, `${taking.length} routes`);
  t.ok(
    taking.some((one) => bodyBytesMaxOf(one) === 10 * MIB),
    'some of them for the largest bodies',
  );
  for (const route of taking) {
    const [method, path] = [route.method, route.path.replaceAll(/\{\w+\}/g, '1')];
    const announced = { 'content-length': `${Math.min(bodyBytesMaxOf(route), 2 ** 40)}` };
    const refused = await begin(method, path, { ...announced, ...nobody });
    t.equal(await refused.status(), 401, `${method} ${path}: announced`);
    const ended = await begin(method, path, { ...announced, cookie: 'millrace_session=nothing' });
    t.equal(await ended.status(), 401, `${method} ${path}: of a session that is none`);
    const chunked = await begin(method, path, { 'transfer-encoding': 'chunked', ...nobody });
    chunked.socket.write(`${PIECE.toString(16)}\r\n${'a'.repeat(PIECE)}\r\n`);
    t.equal(await chunked.status(), 401, `${method} ${path}: in chunks`);
    for (const { socket } of [refused, ended, chunked]) socket.destroy();
    if (['read', 'own'].includes(accessOf(route))) continue;
    const forbidden = await begin(method, path, { ...announced, ...reader });
    t.equal(await forbidden.status(), 403, `${method} ${path}: of a reader`);
    forbidden.socket.destroy();
  }
});

const echo = defineRoute({
  method: 'POST',
  path: '/v6/echo/',
  summary: 'Answers how long a text is',
  hasLargeBody: true,
  body: Type.Object({ text: Type.String() }),
  replies: { 200: Type.Object({ length: Type.Integer() }) },
  handle: ({ body }) => reply(200, { length: body.text.length }),
});

t.test('unknown callers: no body is read before its caller is known', async (t) => {
  const asked: ((isKnown: boolean) => void)[] = [];
  const unknown = () => new AppError('UNAUTHENTICATED', 'Invalid token.');
  const check = ({ headers }: { readonly headers: ReadonlyMap<string, string> }) => {
    if (headers.get('authorization') === 'Bearer known') return undefined;
    return new Promise<void>((resolve, reject) => {
      asked.push((isKnown) => (isKnown ? resolve() : reject(unknown())));
    });
  };
  const { dispatcher } = makeCaller([echo], {}, { authFilter: { ...OPEN_FILTER, check } });
  const begin = await serverOf(t, dispatcher, HELD_MAX);
  const text = JSON.stringify({ text: 'x'.repeat(MIB / 2) });
  const announced = { 'content-length': `${text.length}` };
  const clients: Client[] = [];
  for (let at = 0; at < CALLERS; at += 1) {
    const isChunked = at % 2 === 1;
    const framing = isChunked ? { 'transfer-encoding': 'chunked' } : announced;
    const client = await begin('POST', '/v6/echo/', { authorization: 'Bearer unknown', ...framing });
    const chunk = (piece: string) => `${piece.length.toString(16)}\r\n${piece}\r\n`;
    if (isChunked) client.socket.write(chunk(text.slice(0, PIECE)));
    await eventually(() => asked.length === at + 1, 'it is asked who they are');
    client.socket.write(isChunked ? `${chunk(text.slice(PIECE))}0\r\n\r\n` : text);
    clients.push(client);
  }
  const known = await begin('POST', '/v6/echo/', { authorization: 'Bearer known', ...announced });
  known.socket.write(text);
  t.equal(await known.status(), 200, 'there is room for those who are known');
  t.ok(
    clients.every(({ received }) => received === ''),
    'nobody was answered yet, or refused for want of room',
  );
  const statuses: number[] = [];
  for (const [at, client] of clients.entries()) {
    asked[at]?.(at % 4 < 2);
    statuses.push(await client.status());
    const isAgain = at % 4 === 0;
    if (!isAgain) continue;
    client.received = '';
    client.socket.write(
      'POST /v6/echo/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
        'content-length: 12\r\n\r\n{"text":"a"}',
    );
    t.equal(await client.status(), 200, 'and the connection continues');
  }
  t.strictSame(
    statuses,
    clients.map((_, at) => (at % 4 < 2 ? 200 : 401)),
    'known ones are served with the whole of their body, the others turned away',
  );
  for (const [at, { received }] of clients.entries())
    if (at % 4 === 1) t.match(received, `{"length":${MIB / 2}}`);
});

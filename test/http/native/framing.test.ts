/** Requests whose end can be read in two ways, as one who smuggles a request past a proxy would send them. */
import { connect } from 'node:net';
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import { startServer } from '../../../src/http/native/server.ts';
import { defineRoute, reply } from '../../../src/http/route.ts';
import { makeCaller } from '../../support/http.ts';

const SMUGGLED = 'GET /smuggled/ HTTP/1.1\r\nHost: localhost\r\n\r\n';
const CHUNKED = 'Transfer-Encoding: chunked';

async function serve(t: Test) {
  const reached: string[] = [];
  const echo = defineRoute({
    ...{ method: 'POST', path: '/echo/', summary: 'Echo', body: Type.Object({ text: Type.String() }) },
    replies: { 200: Type.Object({ length: Type.Integer() }) },
    handle: ({ body }) => reply(200, { length: body.text.length }),
  });
  const read = (path: string) =>
    defineRoute({
      ...{ method: 'GET', path, summary: 'Read', replies: { 200: Type.Object({}) } },
      handle() {
        reached.push(path);
        return reply(200, {});
      },
    });
  const { dispatcher } = makeCaller([echo, read('/read/'), read('/smuggled/')], {});
  const log = { debug: () => {}, warn: () => {}, error: () => {} };
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, dispatcher, log, newRequestId: () => 'x' },
    ...{ bufferedBytesMax: 1_000_000, connectionsMax: 100 },
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  /** Sends all of it at once; resolves with the statuses that came until the connection was closed. */
  const talk = (text: string): Promise<string[]> =>
    new Promise((resolve) => {
      const socket = connect(server.port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      let received = '';
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () =>
        resolve([...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status)),
      );
      socket.write(text, 'latin1');
    });
  return { reached, talk };
}

const post = (headers: readonly string[], body: string) =>
  ['POST /echo/ HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...headers, '', body].join(
    '\r\n',
  );
const BODY = '{"text":"ab"}';
const IN_CHUNKS = 'd\r\n{"text":"ab"}\r\n0\r\n\r\n';

const REFUSED: readonly (readonly [what: string, text: string])[] = [
  ['two lengths', post(['Content-Length: 13', 'Content-Length: 70'], BODY)],
  ['two lengths that agree', post(['Content-Length: 13', 'Content-Length: 13'], BODY)],
  ['a list of lengths', post(['Content-Length: 13, 70'], BODY)],
  ['a length with a sign', post(['Content-Length: +13'], BODY)],
  ['a length in hexadecimal', post(['Content-Length: 0xd'], BODY)],
  ['a length, and chunks', post(['Content-Length: 13', CHUNKED], IN_CHUNKS)],
  ['chunks, and a length', post([CHUNKED, 'Content-Length: 13'], IN_CHUNKS)],
  ['another coding', post(['Transfer-Encoding: xchunked'], IN_CHUNKS)],
  ['chunks within another coding', post(['Transfer-Encoding: gzip, chunked'], IN_CHUNKS)],
  ['another coding after chunks', post(['Transfer-Encoding: chunked, identity'], IN_CHUNKS)],
  ['two codings', post([CHUNKED, 'Transfer-Encoding: identity'], IN_CHUNKS)],
  ['a coding before a vertical tab', post(['Transfer-Encoding: \x0bchunked'], IN_CHUNKS)],
  ['a space before the colon', post(['Transfer-Encoding : chunked'], IN_CHUNKS)],
  ['a folded header', post(['Transfer-Encoding:', ' chunked'], IN_CHUNKS)],
  ['chunks of a GET', `GET /read/ HTTP/1.1\r\nHost: localhost\r\n${CHUNKED}\r\n\r\n0\r\n\r\n`],
];

t.test('framing: a request with two possible ends is refused, and nothing after it is read', async (t) => {
  const { reached, talk } = await serve(t);
  await Promise.all(
    REFUSED.map(async ([what, text]) => {
      const statuses = await talk(text + SMUGGLED);
      t.ok(statuses.length === 0 || statuses.join() === '400', `${what}: ${statuses}`);
    }),
  );
  t.strictSame(reached, []);
});

t.test('framing: after a chunked body the connection ends, however the chunks were written', async (t) => {
  const { reached, talk } = await serve(t);
  t.strictSame(await talk(post([CHUNKED], IN_CHUNKS)), ['200']);
  t.strictSame(await talk(post(['Transfer-Encoding: Chunked'], IN_CHUNKS)), ['200'], 'in any case');
  for (const body of [
    IN_CHUNKS,
    IN_CHUNKS.replaceAll('\r\n', '\n'),
    IN_CHUNKS.replace('d\r\n', 'd;x=y\r\n'),
  ]) {
    const statuses = await talk(post([CHUNKED], body) + SMUGGLED);
    t.ok(statuses.length <= 1, statuses.join());
  }
  t.strictSame(reached, [], 'nothing that came with them was read as a request');
});

t.test('framing: ordinary requests follow each other on a connection', async (t) => {
  const { reached, talk } = await serve(t);
  const get = 'GET /read/ HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const end = post([CHUNKED], IN_CHUNKS);
  t.strictSame(await talk(get + end), ['200', '200']);
  t.strictSame(reached, ['/read/']);
});

/** Answers over real sockets: compressed for those who take it, and not sent again to those who have them. */
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import { startServer } from '../../../src/http/native/server.ts';
import { pathId } from '../../../src/http/request/path-parameters.ts';
import { defineRoute, type Reply, reply } from '../../../src/http/route.ts';
import { streamReply, textReply } from '../../../src/http/schema.ts';
import { makeCaller } from '../../support/http.ts';
import { silentLog } from '../../support/silent-log.ts';

const TEXT = 'a text that repeats itself; '.repeat(100);
const Thing = Type.Object({
  id: Type.Integer(),
  text: Type.String(),
  inner: Type.Object({ a: Type.Integer(), b: Type.Integer() }),
});

async function* bytes() {
  yield Buffer.from(TEXT);
}

/** What the routes below read. */
const shown = { text: TEXT };
const routes = [
  ...['/v6', '/api/v6'].map((prefix) =>
    defineRoute({
      method: 'GET',
      path: `${prefix}/things/{id}/`,
      summary: 'A record',
      params: { id: pathId },
      replies: { 200: Thing },
      handle: ({ params }) => reply(200, { id: params.id, text: shown.text, inner: { a: 1, b: 2 } }),
    }),
  ),
  defineRoute({
    method: 'GET',
    path: '/v6/text/',
    summary: 'A text',
    replies: { 200: textReply('text/plain') },
    handle: () => reply(200, TEXT),
  }),
  defineRoute({
    method: 'GET',
    path: '/v6/stream/',
    summary: 'A stream',
    replies: { 200: streamReply() },
    handle: () => reply(200, { stream: bytes() }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v6/cookie/',
    summary: 'A cookie',
    replies: { 200: textReply('text/plain') },
    handle: (): Reply<200, string> => ({ ...reply(200, TEXT), cookies: ['a=b'] }),
  }),
];

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

async function serve(t: Test) {
  const { dispatcher } = makeCaller(routes, {});
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, dispatcher, log: silentLog, newRequestId: () => 'one' },
    ...{ bufferedBytesMax: 4_000_000, connectionsMax: 40 },
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Got>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
      });
      asked.on('error', reject).end();
    });
}

t.test('compression: a long text is sent as the client prefers it', async (t) => {
  const get = await serve(t);
  const plain = await get('/v6/text/');
  t.match(plain, { status: 200, headers: { vary: 'accept-encoding', 'content-encoding': undefined } });
  t.equal(plain.body.toString(), TEXT);
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, none: (body: Buffer) => body };
  const rows: readonly (readonly [string, keyof typeof decoders])[] = [
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=0.9, br;q=0.1', 'gzip'],
    ['gzip;q=0, br;q=0', 'none'],
    ['br;q=0, *', 'gzip'],
    ['identity, gzip;q=0.5', 'none'],
    ['gzip;q=2', 'none'],
    ['gzip;q=', 'none'],
    ['deflate', 'none'],
    ['identity;q=0', 'none'],
    [',;;,', 'none'],
    ['', 'none'],
  ];
  for (const [accepted, coding] of rows) {
    const { status, headers, body } = await get('/v6/text/', { 'accept-encoding': accepted });
    t.equal(status, 200, accepted);
    t.equal(headers['content-encoding'], coding === 'none' ? undefined : coding, accepted);
    t.equal(headers['content-length'], String(body.length));
    t.equal(headers.vary, 'accept-encoding');
    t.equal(decoders[coding](body).toString(), TEXT);
    if (coding !== 'none') t.ok(body.length < 200, `${body.length} bytes`);
  }
  const many = await Promise.all(
    Array.from({ length: 40 }, () => get('/v6/text/', { 'accept-encoding': 'gzip' })),
  );
  for (const { headers, body } of many) {
    t.equal((headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString(), TEXT);
  }
  const head = await get('/v6/text/', { 'accept-encoding': 'gzip' }, 'HEAD');
  t.match(head, { status: 200, headers: { 'content-encoding': 'gzip' }, body: { length: 0 } });
});

t.test('compression: short texts, streams and answers that set cookies are not compressed', async (t) => {
  const get = await serve(t);
  for (const [path, text] of [
    ['/v6/nothing/', undefined],
    ['/v6/stream/', TEXT],
    ['/v6/cookie/', TEXT],
  ] as const) {
    const { headers, body } = await get(path, { 'accept-encoding': 'gzip, br' });
    t.match(headers, { 'content-encoding': undefined, vary: undefined }, path);
    if (text !== undefined) t.equal(body.toString(), text, path);
  }
});

t.test('tags: a client that has a record gets 304 until the record changes', async (t) => {
  const get = await serve(t);
  const first = await get('/v6/things/1/');
  const tag = String(first.headers.etag);
  t.match(tag, /^W\/"[\w-]{24}"$/);
  t.equal((await get('/v6/things/1/', { 'accept-encoding': 'br' })).headers.etag, tag, 'in every coding');
  const strong = tag.slice(2);
  for (const known of [tag, strong, '*', `"x", ${tag}`, `W/"a,b",${strong}`]) {
    const { status, headers, body } = await get('/v6/things/1/', { 'if-none-match': known });
    t.equal(status, 304, known);
    t.match(headers, { etag: tag, vary: 'accept-encoding', 'content-type': undefined });
    t.equal(headers['content-length'], undefined);
    t.equal(body.length, 0);
  }
  t.equal((await get('/v6/things/1/', { 'if-none-match': tag }, 'HEAD')).status, 304);
  for (const other of ['"x"', strong.slice(0, -3), '', 'W/""'])
    t.equal((await get('/v6/things/1/', { 'if-none-match': other })).status, 200, other);
  t.not((await get('/v6/things/2/')).headers.etag, tag);
  t.not((await get('/v6/things/1/?fields=id')).headers.etag, tag);
  shown.text = `${TEXT}!`;
  const changed = await get('/v6/things/1/', { 'if-none-match': tag });
  t.equal(changed.status, 200);
  shown.text = 'x'.repeat(100_000);
  const long = await get('/v6/things/1/');
  t.equal((await get('/v6/things/1/', { 'if-none-match': String(long.headers.etag) })).status, 304);
  shown.text = TEXT;
  t.equal((await get('/api/v6/things/1/')).headers.etag, undefined, 'clients of the public system know none');
  t.equal((await get('/v6/text/')).headers.etag, undefined, 'no record');
});

t.test('fields: a record shows only the fields that were asked for', async (t) => {
  const get = await serve(t);
  const json = async (path: string) => JSON.parse((await get(path)).body.toString());
  t.strictSame(await json('/v6/things/1/?fields=inner.b,id'), { id: 1, inner: { b: 2 } });
  t.strictSame(await json('/v6/things/1/?fields=inner__a&fields=inner'), { inner: { a: 1, b: 2 } });
  t.match(await json('/v6/things/1/?fields=inner.c'), {
    code: 'INVALID_PARAMETER',
    errors: [{ name: 'NOT_ALLOWED', path: 'fields' }],
  });
});

/** The client against servers that are not a Millrace service, or that are broken or hostile. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { RefusedError, UnreachableError, UnusableAnswerError } from '../../src/client/errors.ts';
import { createNodeClient } from '../../src/client/node.ts';

const TOKEN = 'a-secret-token';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(t: Test, handler: Handler): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(server: string, retryForMs = 0) {
  return createNodeClient({ server, token: () => TOKEN, retryForMs, bytesMax: 100_000 });
}

function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => value,
    (error: unknown) => error,
  );
}

const ANSWERS: readonly (readonly [name: string, Handler, expected: RegExp])[] = [
  ['a page of HTML', (_q, a) => a.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), /is not JSON/],
  [
    'JSON that is cut',
    (_q, a) => a.writeHead(200, { 'content-type': 'application/json' }).end('{"a'),
    /not valid/,
  ],
  ['bytes that are no UTF-8', (_q, a) => a.writeHead(200).end(Buffer.from([0xff, 0xfe])), /is not UTF-8/],
  ['too long a body', (_q, a) => a.writeHead(200).end('x'.repeat(100_001)), /more than 100000 bytes/],
  ['an endless body', (_q, a) => endless(a), /more than 100000 bytes/],
  ['a redirect to nowhere', (_q, a) => a.writeHead(302).end(), /redirects to nowhere/],
  [
    'a redirect to a file',
    (_q, a) => a.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    /to nowhere/,
  ],
  [
    'redirects in a circle',
    (_q, a) => a.writeHead(302, { location: '/v6/version/' }).end(),
    /the answer redirects/,
  ],
];

/** Writes as long as the client reads. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (response.writable && response.write('['.repeat(10_000)));
    response.once('drain', more);
  };
  more();
}

for (const [what, handler, expected] of ANSWERS) {
  t.test(`client: ${what} is refused as an unusable answer`, async (t) => {
    const error = await failureOf(clientOf(await serve(t, handler)).get('/v6/version/'));
    t.ok(error instanceof UnusableAnswerError, String(error));
    t.match(String(error), expected);
    t.notMatch(String(error), TOKEN);
  });
}

t.test(
  'client: a page that is not a list is refused, and a page without records is the last one',
  async (t) => {
    const collect = async (server: string) => {
      let count = 0;
      for await (const _ of clientOf(server).list('/v6/jobs/')) count += 1;
      return count;
    };
    const none = await serve(t, (_request, response) => json(response, 200, { results: 7 }));
    await t.rejects(collect(none), UnusableAnswerError);
    const empty = await serve(t, (_request, response) =>
      json(response, 200, { count: 9, next: 'x', results: [] }),
    );
    t.equal(await collect(empty), 0, 'a page without records is the last');
  },
);

t.test('client: only downloads follow a redirect to another host, and without credentials', async (t) => {
  const seen: IncomingMessage[] = [];
  const other = await serve(t, (request, response) => {
    seen.push(request);
    response.writeHead(200, { 'content-type': 'text/plain' }).end('content');
  });
  const server = await serve(t, (_request, response) =>
    response.writeHead(307, { location: `${other}/stolen` }).end(),
  );
  const client = createNodeClient({
    server,
    token: () => TOKEN,
    headers: () => ({ cookie: 'millrace_session=secret' }),
    retryForMs: 0,
  });
  await t.rejects(client.get('/v6/version/'), UnusableAnswerError);
  await t.rejects(client.post('/v6/logout/'), UnusableAnswerError);
  t.equal(seen.length, 0, 'neither was followed');
  const { content } = await client.download({ fileId: 1 });
  let text = '';
  for await (const piece of content) text += Buffer.from(piece).toString();
  t.equal(text, 'content');
  t.equal(seen.length, 1);
  t.notMatch(JSON.stringify(seen[0]?.headers), /secret/);
});

t.test('client: a refusal without a problem document is a refusal as well', async (t) => {
  const server = await serve(t, (_request, response) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  );
  t.match(await failureOf(clientOf(server).get('/v6/version/')), {
    status: 502,
    code: 'HTTP_502',
    problems: [],
  });
  const odd = await serve(t, (_request, response) =>
    json(response, 400, { detail: 7, code: {}, errors: [null, 3, { name: 4, path: 'a' }] }),
  );
  const error = await failureOf(clientOf(odd).get('/v6/version/'));
  t.match(error, { status: 400, code: 'HTTP_400', problems: [{ name: '', description: '', path: 'a' }] });
});

t.test(
  'client: a call to an overloaded service is repeated after Retry-After with the same key',
  async (t) => {
    const keys: unknown[] = [];
    const server = await serve(t, (request, response) => {
      keys.push(request.headers['idempotency-key']);
      if (keys.length === 1) json(response, 503, { code: 'OVERLOADED', detail: 'x' }, { 'retry-after': '0' });
      else if (keys.length === 2) request.socket.destroy();
      else json(response, 200, {});
    });
    await clientOf(server, 60_000).post('/v6/logout/');
    t.equal(keys.length, 3);
    t.equal(new Set(keys).size, 1);
    t.match(keys[0], /^[0-9a-f]{32}$/);
  },
);

t.test(
  'client: a call is not repeated after a lasting refusal, or if Retry-After exceeds its time',
  async (t) => {
    let calls = 0;
    const refusals = [
      [400, 'INVALID_REQUEST'],
      [500, 'INTERNAL'],
      [503, 'QUERY_TOO_SLOW'],
    ] as const;
    const server = await serve(t, (_request, response) => {
      const [status, code] = refusals[calls] ?? [200, ''];
      calls += 1;
      json(response, status, { code, detail: 'x' });
    });
    for (const [status, code] of refusals) {
      await t.rejects(clientOf(server, 60_000).get('/v6/version/'), { status, code });
    }
    t.equal(calls, refusals.length);
    const limited = await serve(t, (_request, response) =>
      json(response, 429, { code: 'TOO_MANY', detail: 'x' }, { 'retry-after': '3600' }),
    );
    const error = await failureOf(clientOf(limited, 60_000).get('/v6/version/'));
    t.ok(
      error instanceof RefusedError && error.retryAfterMs === 3_600_000,
      'Retry-After exceeds the time for repeats',
    );
  },
);

t.test('client: a repeated delete that finds nothing has succeeded', async (t) => {
  let calls = 0;
  const server = await serve(t, (request, response) => {
    calls += 1;
    if (calls === 1) request.socket.destroy();
    else json(response, 404, { code: 'NOT_FOUND', detail: 'x' });
  });
  await clientOf(server, 60_000).delete('/v6/tokens/{id}/', { path: { id: 1 } });
  t.equal(calls, 2);
  await t.rejects(clientOf(server).delete('/v6/tokens/{id}/', { path: { id: 1 } }), {
    name: 'RefusedError',
    status: 404,
  });
});

t.test('client: a missing answer and one that stops midway end with the time limit', async (t) => {
  const silent = await serve(t, () => undefined);
  const half = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":');
  });
  for (const server of [silent, half]) {
    const error = await failureOf(clientOf(server).get('/v6/version/', { timeoutMs: 50 }));
    t.ok(error instanceof UnreachableError, String(error));
    t.match(String(error), /no answer within 0.05 s/);
  }
});

t.test(
  'client: an interrupted download continues at its offset, unless the content has changed',
  async (t) => {
    const whole = Buffer.from('0123456789');
    let tag = '"one"';
    const ranges: unknown[] = [];
    const server = await serve(t, (request, response) => {
      const { range, 'if-range': ifRange } = request.headers;
      ranges.push(range);
      if (range === undefined) {
        response.writeHead(200, { etag: '"one"', 'content-length': '10' });
        response.write(whole.subarray(0, 4), () => request.socket.destroy());
      } else if (ifRange === tag) {
        response.writeHead(206, { etag: tag, 'content-range': 'bytes 4-9/10' }).end(whole.subarray(4));
      } else response.writeHead(200, { etag: tag }).end(whole);
    });
    const read = async () => {
      const { content } = await clientOf(server, 60_000).download({ fileId: 1 });
      let text = '';
      for await (const piece of content) text += Buffer.from(piece).toString();
      return text;
    };
    t.equal(await read(), '0123456789');
    t.strictSame(ranges, [undefined, 'bytes=4-']);
    tag = '"two"';
    await t.rejects(read(), { message: /the content changed/ });
  },
);

t.test('client: an interrupted download of the first bytes requests only the rest of them', async (t) => {
  const asked: unknown[] = [];
  const server = await serve(t, ({ url, headers: { range }, socket }, response) => {
    asked.push([url, range]);
    const first = range === 'bytes=0-7';
    const head = { etag: '"one"', 'content-range': `bytes ${first ? '0' : '4'}-7/10` };
    response.writeHead(206, first ? { ...head, 'content-length': '8' } : head);
    if (first) response.write('0123', () => socket.destroy());
    else response.end('4567');
  });
  const options = { firstBytes: 8, isStreamed: true };
  const { content } = await clientOf(server, 60_000).download({ fileId: 1 }, options);
  let text = '';
  for await (const piece of content) text += Buffer.from(piece).toString();
  t.equal(text, '01234567');
  const path = '/v6/files/1/content/?stream=true';
  t.strictSame(asked, [
    [path, 'bytes=0-7'],
    [path, 'bytes=4-7'],
  ]);
});

t.test('client: a token with characters that a header cannot hold is refused and not shown', async (t) => {
  for (const token of ['secret\nword', 'secret\u20acword', '']) {
    const client = createNodeClient({ server: 'http://127.0.0.1:1', token: () => token, retryForMs: 0 });
    const message = 'the token is empty, or has characters other than printable ASCII';
    await t.rejects(client.get('/v6/status/'), { name: 'TypeError', message });
    await t.rejects(client.changes()[Symbol.asyncIterator]().next(), { name: 'TypeError', message });
  }
});

t.test('client: an invalid address, or one with a password, is refused at once', (t) => {
  for (const server of [
    '',
    'millrace',
    'ftp://host',
    'http://user:pw@host',
    'http://host/?a=1',
    'http://host/#a',
  ]) {
    t.throws(() => clientOf(server), TypeError, server);
  }
  t.end();
});

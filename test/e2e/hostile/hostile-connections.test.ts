import { connect, type Socket } from 'node:net';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { Sender } from './sender.ts';

const DEADLINE_MS = 20_000;
const BODY_MAX = 1024 * 1024;
const PATH = '/v6/workspaces/';
const JSON_TYPE = 'Content-Type: application/json';

/** A connection that is spoken to byte by byte. */
class Wire {
  readonly #socket: Socket;
  received = '';
  isClosed = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
    });
    this.#socket.on('error', () => undefined); // it closes then
    this.#socket.on('close', () => {
      this.isClosed = true;
    });
  }

  write(text: string): this {
    this.#socket.write(text);
    return this;
  }

  /** Statuses that came, once there are `count` of them or the connection is closed. */
  async statuses(count = 1): Promise<number[]> {
    const found = () => [...this.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => Number(match[1]));
    await until(`${count} answers`, () => found().length >= count || this.isClosed, DEADLINE_MS);
    return found();
  }

  end(): void {
    this.#socket.destroy();
  }
}

function post(path: string, ...lines: string[]): string {
  return [`POST ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
}

/** What is sent, and the statuses that are right; closing without an answer is, too. */
const BROKEN_HEADS: readonly (readonly [what: string, text: string, allowed: readonly number[]])[] = [
  ['no HTTP', 'hello\r\n\r\n', [400, 505]],
  ['another version', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n', [400, 505]],
  ['no Host', 'GET /v6/version/ HTTP/1.1\r\n\r\n', [400]],
  ['a header without a colon', 'GET /v6/version/ HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n', [400]],
  ['a length that is no number', post(PATH, 'Content-Length: many', JSON_TYPE), [400]],
  ['a negative length', post(PATH, 'Content-Length: -1', JSON_TYPE), [400]],
  [
    'a length and chunks',
    `${post(PATH, 'Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    [400, 415],
  ],
  [
    'a chunk of no size',
    `${post(PATH, 'Transfer-Encoding: chunked', JSON_TYPE)}zz\r\n{}\r\n0\r\n\r\n`,
    [400],
  ],
  ['headers without end', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, [431]],
  ['a body too large, as announced', post(PATH, `Content-Length: ${BODY_MAX + 1}`, JSON_TYPE), [413]],
  ['a body beyond all numbers', post(PATH, `Content-Length: ${'9'.repeat(18)}`, JSON_TYPE), [400, 413]],
];

const REFUSED: readonly (readonly [number, string, string, Record<string, string>, unknown?])[] = [
  [415, 'POST', PATH, { 'content-type': 'text/plain' }, '{}'],
  [415, 'POST', PATH, { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b'],
  [415, 'POST', PATH, { 'content-type': 'application/json; charset=utf-16' }, '{}'],
  [415, 'POST', PATH, { 'content-encoding': 'gzip' }, '{}'],
  [400, 'POST', PATH, {}, '{'],
  [400, 'POST', PATH, {}, '[]'],
  [400, 'POST', PATH, {}, 'null'],
  [400, 'POST', PATH, {}, Buffer.from([0x22, 0xff, 0x22])],
  [400, 'POST', PATH, {}, `${'['.repeat(200_000)}`],
  [400, 'POST', PATH, {}, `{"title":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  [413, 'POST', PATH, {}, ' '.repeat(BODY_MAX + 1)],
  [400, 'POST', PATH, {}, `{"title":"${'x'.repeat(BODY_MAX - 100)}"}`],
  [405, 'DELETE', PATH, {}],
  [405, 'PUT', `${PATH}1/`, {}, '{}'],
  [404, 'GET', '/v7/version/', {}],
  [404, 'GET', '//v6/version/', {}],
  [301, 'GET', '/v6/version', {}],
  [400, 'POST', '/v6/workspaces', {}, '{}'],
  [403, 'GET', '/v6/version/', { host: 'evil.example' }],
  [403, 'GET', '/v6/version/', { host: 'localhost.evil.example' }],
  [400, 'GET', '/v6/version/', { host: 'localhost@evil.example' }],
  [403, 'POST', PATH, { origin: 'https://evil.example' }, '{}'],
  [403, 'POST', PATH, { origin: 'null' }, '{}'],
  [403, 'PATCH', '/v6/scheduler/', { 'sec-fetch-site': 'cross-site' }, '{"is_paused":true}'],
];

t.test('hostile connections: the service answers or closes, and continues', async (t) => {
  const world = await createWorld(t);
  const program = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const sender = new Sender(program.url);
  t.teardown(() => sender.close());
  const wire = () => {
    const made = new Wire(program.url);
    t.teardown(() => made.end());
    return made;
  };
  const isWell = async (what: string) => {
    t.equal((await sender.send({ method: 'GET', target: '/v6/version/' })).status, 200, `after ${what}`);
  };

  await t.test('requests that are not HTTP, or too large, are refused', async (t) => {
    // At once: some of these are closed only when nothing has come for a while.
    await Promise.all(
      BROKEN_HEADS.map(async ([what, text, allowed]) => {
        const one = wire().write(text);
        const statuses = await one.statuses();
        t.ok(
          statuses.length === 0 ? one.isClosed : allowed.includes(statuses[0] ?? 0),
          `${what}: ${statuses}`,
        );
        await isWell(what);
      }),
    );
  });

  await t.test('bodies that do not arrive, arrive slowly, or do not end are cut off', async (t) => {
    const waiting = Array.from({ length: 50 }, () =>
      wire().write(post(PATH, 'Content-Length: 100', JSON_TYPE)),
    );
    await isWell('bodies that do not come');
    for (const one of waiting) one.end();
    await isWell('clients that went in the middle of their bodies');

    const body = JSON.stringify({ title: 'x', configuration: {} });
    const slow = wire().write(post(PATH, `Content-Length: ${body.length}`, JSON_TYPE));
    for (const letter of body) {
      slow.write(letter);
      await isWell('a letter of a slow body');
    }
    t.strictSame(await slow.statuses(), [400], 'a slow body is read to its end');

    const endless = wire().write(post(PATH, 'Transfer-Encoding: chunked', JSON_TYPE));
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
    for (let sent = 0; sent < 3; sent += 1) endless.write(chunk);
    t.strictSame(await endless.statuses(), [413], 'an endless body is cut off');
    await isWell('an endless body');
  });

  await t.test('pipelined requests are answered, or their connection is closed', async (t) => {
    const get = 'GET /v6/version/ HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const one = wire().write(get.repeat(20));
    const statuses = await one.statuses(20);
    t.ok(statuses.length === 20 || one.isClosed, `${statuses.length} answers, or closed`);
    t.ok(statuses.every((status) => status === 200));
    await isWell('pipelining');
  });

  await t.test('an unexpected body is not read as another request', async (t) => {
    const inner = 'GET /v6/status/ HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const one = wire();
    for (let sent = 1; sent <= 2; sent += 1) {
      one.write(
        `GET /v6/version/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
      );
      t.strictSame(await one.statuses(sent), Array(sent).fill(200));
    }
    t.equal(one.received.match(/"version"/g)?.length, 2);
    t.notMatch(one.received, /"scheduler"/);
  });

  await t.test('clients that disconnect before their answers hold nothing up', async (t) => {
    const all = Array.from({ length: 30 }, () =>
      wire().write('GET /v6/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    for (const one of all) one.end();
    await isWell('clients that went before their answers');
    t.pass();
  });

  await t.test('wrong media types, methods, paths and origins are refused', async (t) => {
    for (const [status, method, target, headers, body] of REFUSED) {
      const answer = await sender.send({ method, target, headers, body });
      const what = `${method} ${target} ${JSON.stringify(headers)} ${String(body).slice(0, 30)}`;
      t.equal(answer.status, status, `${what}: ${answer.text.slice(0, 200)}`);
      if (status >= 400) t.type(answer.json?.detail, 'string', what);
      if (status === 405) t.type(answer.headers.allow, 'string', what);
    }
  });

  t.strictSame(await clientOf(program).count(PATH), 0, 'nothing was made');
  t.notMatch(program.log, /http_exchange_broken|http_request_failed/);
  t.notOk(program.hasExited);
});

/** The heads of answers that have no body and end their connection, as they stand on the wire. */
import { connect } from 'node:net';
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import { startServer } from '../../../src/http/native/server.ts';
import { defineRoute, reply } from '../../../src/http/route.ts';
import { NO_BODY } from '../../../src/http/schema.ts';
import { makeCaller } from '../../support/http.ts';

const route = (path: string, status: 202 | 204) =>
  defineRoute({
    ...{ method: 'POST', path, summary: 'Nothing', body: Type.Object({}), replies: { [status]: NO_BODY } },
    handle: () => reply(status),
  });

/** Sends all of it; resolves with all that came until the connection was closed. */
async function talk(t: Test, text: string): Promise<string> {
  const { dispatcher } = makeCaller([route('/none/', 204), route('/taken/', 202)], {});
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, dispatcher, newRequestId: () => 'x' },
    log: { debug: () => {}, warn: () => {}, error: (event) => t.fail(event) },
    ...{ bufferedBytesMax: 1_000_000, connectionsMax: 100 },
  });
  t.teardown(() => server.stop(AbortSignal.abort()));
  return new Promise((resolve) => {
    const socket = connect(server.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
    socket.write(text, 'latin1');
  });
}

for (const [what, request, status, lengths] of [
  ['a 204', 'POST /none/', 204, []],
  ['a 202', 'POST /taken/', 202, ['0']],
  ['a refusal of HEAD', 'HEAD /none/', 400, [/^[1-9]\d{1,3}$/]],
  ['a 204 to OPTIONS', 'OPTIONS /none/', 204, []],
] as const) {
  t.test(`${what} to a chunked request has an honest length, and ends the connection`, async (t) => {
    const head = `${request} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    const received = await talk(t, `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    t.match(received, new RegExp(`^HTTP/1\\.1 ${status} `));
    const [headers = '', ...rest] = received.split('\r\n\r\n');
    t.strictSame(rest, [''], 'no body follows, and no second answer');
    const told = [...headers.matchAll(/^content-length: (.*)$/gim)].map(([, value]) => value?.trim());
    t.equal(told.length, lengths.length);
    t.match(told, lengths);
    t.match(headers, /^connection: close$/im);
    t.match(headers, /^date: ./im);
  });
}

/** Commands at an address whose scheme, name, port or certificate is wrong: told at once, with what to do. */
import { readFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createPlain, type Server } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createAuthority, issueIdentity } from '../../../src/certificates/authority.ts';
import { createWorld } from '../../e2e/harness/world.ts';
import { needsCertificates, selfSigned } from '../../support/services/http-certificate.ts';
import { typed } from './typed-process.ts';

const DAY_MS = 86_400_000;
const answer = (_request: unknown, response: { end(text: string): unknown }) => response.end('{}');

async function listening(t: Test, server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

t.test('commands: a wrong address or certificate is told at once', needsCertificates(), async (t) => {
  const world = await createWorld(t);
  const { certificate, key } = selfSigned(world.folder);
  const own = { cert: readFileSync(certificate), key: readFileSync(key) };
  const authority = await createAuthority(join(world.folder, 'authority'), Date.now() - 10 * DAY_MS, 100);
  const trusting = { NODE_EXTRA_CA_CERTS: join(world.folder, 'authority/ca.pem') };
  const issuedAt = async (nowMs: number) => {
    const made = issueIdentity(authority, { role: 'coordinator', name: 'x', nowMs, days: 1 });
    return `https://127.0.0.1:${await listening(t, createHttps({ cert: made.certificate, key: made.key }, answer))}`;
  };
  const secure = await listening(t, createHttps(own, answer));
  const plain = await listening(t, createHttp(answer));
  const other = createPlain((socket) => {
    socket.on('error', () => undefined);
    socket.end('220 ready\r\n');
  });
  const cases: readonly (readonly [server: string, help: RegExp, env?: Record<string, string>])[] = [
    [
      `https://127.0.0.1:${secure}`,
      /self-signed[^\n]*\n {2}its certificate is not trusted.*NODE_EXTRA_CA_CERTS/,
    ],
    [await issuedAt(Date.now()), /\n {2}its certificate is for another name/, trusting],
    [await issuedAt(Date.now() - 5 * DAY_MS), /\n {2}its certificate has expired/, trusting],
    [await issuedAt(Date.now() + 5 * DAY_MS), /\n {2}its certificate is not valid yet.*clock/, trusting],
    [`https://127.0.0.1:${plain}`, /: no TLS is spoken there\n {2}.*begins with http:\/\//],
    [`http://127.0.0.1:${secure}`, /: TLS is spoken there\n {2}.*begins with https:\/\//],
    [`http://127.0.0.1:${await listening(t, other)}`, /no HTTP is spoken there\n {2}another program/],
    ['http://no..name', /ENOTFOUND\)\n {2}is it spelt right/],
    ['http://127.0.0.1:1', /its port belongs to another protocol.*\n {2}give the service another port/],
  ];
  for (const [server, help, env] of cases) {
    for (const command of [['status'], ['changes', '--follow']]) {
      const done = await typed(world, [...command, '--server', server], env);
      t.match(done, { code: 6, out: '', err: help }, `${command.join(' ')} at ${server}`);
      t.match(done.err, new RegExp(`^millrace: [^\n]*${server}`), 'the only message');
    }
  }
});

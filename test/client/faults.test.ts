/** A wrong address or certificate: the client says so at its first attempt, because no other can succeed. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createPlain, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { UnreachableError } from '../../src/client/errors.ts';
import { createNodeClient } from '../../src/client/node.ts';
import { needsCertificates, selfSigned } from '../support/services/http-certificate.ts';

const PATIENT_MS = 600_000;
const answer = (_request: unknown, response: { end(text: string): unknown }) => response.end('{}');

async function listening(t: Test, server: Server, port = 0): Promise<number> {
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function identity(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-faults-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const { certificate, key } = selfSigned(folder);
  return { cert: readFileSync(certificate), key: readFileSync(key) };
}

t.test('client: a wrong address or certificate is told at once', needsCertificates(), async (t) => {
  const secure = await listening(t, createHttps(await identity(t), answer));
  const plain = await listening(t, createHttp(answer));
  const other = await listening(
    t,
    createPlain((socket) => {
      socket.on('error', () => undefined);
      socket.end('SSH-2.0-OpenSSH_9.2\r\n');
    }),
  );
  for (const [server, fault, words] of [
    [`https://127.0.0.1:${secure}`, 'untrusted-certificate', 'self-signed certificate'],
    [`https://127.0.0.1:${plain}`, 'speaks-no-tls', 'no TLS is spoken there'],
    [`http://127.0.0.1:${secure}`, 'speaks-tls', 'TLS is spoken there'],
    [`http://127.0.0.1:${other}`, 'speaks-no-http', 'no HTTP is spoken there'],
    ['http://no..name', 'unknown-host', 'ENOTFOUND'],
    ['http://127.0.0.1:1', 'reserved-port', 'its port belongs to another protocol'],
  ] as const) {
    const retries: unknown[] = [];
    const onRetry = (error: unknown) => retries.push(error);
    const client = createNodeClient({ server, retryForMs: PATIENT_MS, onRetry });
    const error = await client.request('GET', '/v6/version/').catch((error: unknown) => error);
    t.ok(error instanceof UnreachableError, server);
    t.match(error, { fault, mayPass: false, message: words }, server);
    t.strictSame(retries, [], `${server}: no second attempt`);
    const changes = client.changes({ retryForMs: PATIENT_MS })[Symbol.asyncIterator]();
    const end = await changes.next().catch((error: unknown) => error);
    t.match(end, { fault, mayPass: false }, `${server}: changes`);
  }
});

t.test('client: what an address that has answered meets later may pass', needsCertificates(), async (t) => {
  const tls = await identity(t);
  const first = createHttp(answer);
  const port = await listening(t, first);
  const closed = (server: Server) => new Promise((resolve) => server.close(resolve));
  let between: Server | undefined;
  const failures: unknown[] = [];
  const client = createNodeClient({
    server: `http://127.0.0.1:${port}`,
    retryForMs: PATIENT_MS,
    onRetry: (error) => {
      failures.push(error);
      if (between === undefined) return;
      const other = between;
      between = undefined;
      void closed(other).then(() => listening(t, createHttp(answer), port));
    },
  });
  const call = () => client.request('GET', '/v6/version/').catch((error: Error) => error.message);
  t.match(await call(), 'the answer is not JSON');
  first.closeAllConnections();
  await closed(first);
  between = createHttps(tls, answer);
  await listening(t, between, port);
  t.match(await call(), 'the answer is not JSON', 'it is back');
  t.match(failures[0], { fault: 'speaks-tls', mayPass: true });
});

/** How a watch finds a service. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { isServed } from '../../../src/cli/watch/probe.ts';

t.test('probe: a service that starts is waited for, and why is said once', async (t) => {
  const reasons = ['the coordinator waits for the database', 'the coordinator waits for the database'];
  const server = createServer((_request, response) => {
    const detail = reasons.shift();
    response.setHeader('content-type', 'application/json');
    if (detail === undefined) return response.end('{"version": "1.2.3"}');
    response.writeHead(503).end(JSON.stringify({ detail, code: 'OWNER_UNAVAILABLE', errors: [] }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const said: string[] = [];
  const isThere = await isServed(url, (note) => said.push(note), new AbortController().signal);
  t.ok(isThere);
  t.strictSame(said, [`waiting for the service at ${url}: the coordinator waits for the database`]);
});

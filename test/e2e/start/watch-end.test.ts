/** What `millrace watch` still shows when it is ended. */
import { writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createGate, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { until } from '../harness/until.ts';
import { createPlace, products, Typed } from './watch-typed.ts';

/** The service at another address, where calls that change something wait for `before`. */
async function proxied(t: Test, to: URL, before: (method: string, path: string) => Promise<void>) {
  const proxy = createServer(async (incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    await before(method, path);
    const outgoing = request({ host: to.hostname, port: to.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  proxy.on('upgrade', ({ method, url, rawHeaders }, socket) => {
    const upstream = connect(Number(to.port), to.hostname);
    const lines = rawHeaders.flatMap((text, index) =>
      index % 2 === 0 ? [`${text}: ${rawHeaders[index + 1]}`] : [],
    );
    upstream.write(`${[`${method} ${url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
    for (const one of [socket, upstream]) one.on('error', () => undefined);
    socket.pipe(upstream).pipe(socket);
    t.teardown(() => upstream.destroy());
  });
  t.teardown(() => proxy.closeAllConnections());
  return `http://127.0.0.1:${await listening(t, proxy)}`;
}

async function listening(t: Test, server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

t.test('watch: a file that ends between Ctrl-C and the pause is shown, into a pipe as well', async (t) => {
  const { world, cwd } = await createPlace(t);
  const up = await world.start('up', 'up');
  const client = createNodeClient({ server: up.url, token: () => undefined });
  const count = (status: 'RUNNING' | 'FAILED' | 'COMPLETED') =>
    client.count('/v6/jobs/', { query: { job_type_name: ['ends'], status: [status] } });
  // A task has a /tmp of its own: it waits until its connection ends.
  const held = new Set<Socket>();
  const gate = await listening(
    t,
    createGate((socket) => held.add(socket)),
  );
  let isEnding = false;
  const server = await proxied(t, new URL(up.url), async (method, path) => {
    if (!isEnding || method !== 'PATCH' || !path.startsWith('/v6/strikes/')) return;
    // The watch follows nothing any more: what ends now is found by its last look alone.
    for (const socket of held) socket.end();
    await until(
      'both have ended',
      async () => (await count('FAILED')) === 1 && (await count('COMPLETED')) === 1,
    );
  });
  for (const name of ['good.txt', 'bad.txt']) await writeFile(join(cwd, 'in', name), name);
  const wait = `read -r x </dev/tcp/127.0.0.1/${gate}`;
  const script = `${wait} || [ $stem = good ] || { echo why >&2; exit 3; }; cp "$in" "$out/"`;
  const line = [
    'in',
    '--run',
    script,
    '--into',
    'out',
    '--name',
    'ends',
    '--cpus',
    '0.1',
    '--server',
    server,
  ];
  const typed = new Typed(cwd, line);
  await until('both run', async () => (await count('RUNNING')) === 2 && held.size === 2);
  isEnding = true;
  t.equal(await typed.interrupt(), 0, typed.errors);
  t.match(typed.output, /^done {2}good\.txt -> good\.txt/m);
  t.match(typed.output, /^failed {2}bad\.txt: .*exit code 3\n +why$/m);
  t.match(typed.output, /paused; the same line continues\n$/);
  t.strictSame(await products(cwd), ['good.txt']);
});

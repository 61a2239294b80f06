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
  t.match(typed.output, /^2 arrived, 1 done, 1 failed, 0 still running\npaused; the same line continues\n$/m);
  t.strictSame(await products(cwd), ['good.txt']);
});

t.test('watch: what ends after its last look is shown when the same line is typed again, once', async (t) => {
  const { world, cwd } = await createPlace(t);
  const up = await world.start('up', 'up');
  const client = createNodeClient({ server: up.url, token: () => undefined });
  const held = new Set<Socket>();
  const gate = await listening(
    t,
    createGate((socket) => held.add(socket)),
  );
  const wait = `[ $stem = empty ] || read -r x </dev/tcp/127.0.0.1/${gate} || [ $stem = good ] || exit 3`;
  const script = `${wait}; [ $stem = empty ] || cp "$in" "$out/"`;
  const line = [
    'in',
    '--run',
    script,
    '--into',
    'out',
    '--name',
    'late',
    '--cpus',
    '0.1',
    '--server',
    up.url,
  ];
  for (const name of ['good.txt', 'bad.txt', 'empty.txt']) await writeFile(join(cwd, 'in', name), name);
  const first = new Typed(cwd, line);
  await first.shows(/^no product {2}empty\.txt/m);
  await until('both run', async () => held.size === 2);
  t.equal(await first.interrupt(), 0, first.errors);
  t.match(
    first.output,
    /^note: still running: (good\.txt, bad|bad\.txt, good)\.txt; the same line shows how that ends$/m,
  );
  t.match(first.output, /^3 arrived, 1 done \(1 without product\), 0 failed, 2 still running$/m);
  for (const socket of held) socket.end();
  await until(
    'both have ended',
    async () =>
      (await client.count('/v6/jobs/', {
        query: { job_type_name: ['late'], status: ['FAILED', 'COMPLETED'] },
      })) === 3,
  );

  const second = new Typed(cwd, line);
  await second.shows(/^done {2}good\.txt -> good\.txt[\s\S]*^failed {2}bad\.txt|^failed [\s\S]*^done /m);
  t.equal(await second.interrupt(), 0, second.errors);
  t.notMatch(second.output, /empty\.txt/);
  t.match(second.output, /^0 arrived, 1 done, 1 failed, 0 still running$/m);
  const third = new Typed(cwd, line);
  await third.shows(/^watching /m);
  t.equal(await third.interrupt(), 0, third.errors);
  t.notMatch(third.output, /^(?:done|failed) /m, 'each once');
});

t.test('watch: all files that end while the service answers slowly are shown', async (t) => {
  const { world, cwd } = await createPlace(t);
  const up = await world.start('up', 'up');
  const client = createNodeClient({ server: up.url, token: () => undefined });
  const canceled = () =>
    client.count('/v6/jobs/', { query: { job_type_name: ['many'], status: ['CANCELED'] } });
  const JOBS = 600;
  const server = await proxied(t, new URL(up.url), async (method, path) => {
    // So it reads the ended jobs.
    if (method === 'GET' && path.includes('job_id='))
      await until('all have ended', async () => (await canceled()) === JOBS);
  });
  await writeFile(join(cwd, 'in/one'), '1');
  const line = ['in', '--run', 'cp "$in" "$out/"', '--into', 'out', '--name', 'many'];
  const first = new Typed(cwd, [...line, '--server', up.url]);
  await first.shows(/^done {2}one/m);
  t.equal(await first.interrupt(), 0, first.errors);

  const typed = new Typed(cwd, [...line, '--server', server]);
  await typed.shows(/^watching /m);
  const path = { name: 'many', version: '1.0.0' };
  const { id } = await client.get('/v6/job-types/{name}/{version}/', { path });
  await client.patch('/v6/job-types/{name}/{version}/', { path, body: { is_paused: true } });
  const files: number[] = [];
  for await (const file of client.list('/v6/files/', { query: { file_type: ['SOURCE'] } }))
    files.push(file.id);
  const body = { job_type_id: id, input: { files: { INPUT_FILE: files }, json: {} } };
  await Promise.all(Array.from({ length: JOBS }, () => client.post('/v6/jobs/', { body })));
  await client.post('/v6/jobs/cancel/', { body: { job_type_names: ['many'] } });
  await until('all have ended', async () => (await canceled()) === JOBS);
  t.equal(await typed.interrupt(), 0, typed.errors);
  t.equal(typed.output.match(/^canceled {2}one/gm)?.length, JOBS, typed.output.slice(-500));
  t.match(typed.output, /^0 arrived, 0 done, 0 failed, 600 canceled, 0 still running$/m);
});

/** What `millrace watch` still shows when it is ended. */
import { writeFile } from 'node:fs/promises';
import { createServer as createGate, type Socket } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { migratedDatabase } from '../../support/db.ts';
import { until } from '../harness/until.ts';
import { createPlace, listening, products, proxied, Typed } from './watch-typed.ts';

t.test('watch: a file that ends between Ctrl-C and the pause is shown, into a pipe as well', async (t) => {
  const { world, cwd } = await createPlace(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
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
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
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

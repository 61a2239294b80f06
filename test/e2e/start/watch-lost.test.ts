/** `millrace watch` with a service that it has not started, and that is killed meanwhile, or answers slowly. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { until } from '../harness/until.ts';
import { createPlace, deliver, products, proxied, Typed } from './watch-typed.ts';

t.test('watch: a service that is killed is waited for, and no file is missing', async (t) => {
  const { world, cwd } = await createPlace(t);
  const http = { DATABASE_URL: await migratedDatabase(t), MILLRACE_HTTP: `127.0.0.1:${await freePort()}` };
  let up = await world.start('up', 'up', http);
  await writeFile(join(cwd, 'in/one'), '1');
  const line = ['in', '--run', 'cp "$in" "$out/"', '--into', 'out', '--server', up.url];
  const typed = new Typed(cwd, line);
  await typed.shows(/^done {2}one -> one/m);
  await up.end('SIGKILL');
  const lost = `note: [^\\n]*${new URL(up.url).host}[^\\n]*; the connection is lost, trying again \\.\\.\\.`;
  await typed.shows(new RegExp(`^${lost}$`, 'm'));
  await deliver(cwd, 'two', '2');
  up = await world.start('up', 'up', http);
  await typed.shows(/^note: [^\n]*: the connection is back$/m);
  await typed.shows(/^done {2}two -> two/m);
  t.equal(typed.output.match(/the connection is/g)?.length, 2, 'each once');
  t.strictSame(await products(cwd), ['one', 'two']);

  await up.end('SIGKILL');
  await typed.shows(new RegExp(`^${lost}[^]*^${lost}$`, 'm'));
  t.equal(await typed.interrupt(), 130);
  t.match(typed.output, /^note: not paused: the strike in-\w+, which takes files when its service is back$/m);
});

t.test('watch: all files that end while the service answers slowly are shown', async (t) => {
  const { world, cwd } = await createPlace(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
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

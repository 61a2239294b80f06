/** `millrace watch` with a service that it has not started, and that is killed meanwhile. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { freePort } from '../../support/services/free-port.ts';
import { createPlace, deliver, products, Typed } from './watch-typed.ts';

t.test('watch: a service that is killed is waited for, and no file is missing', async (t) => {
  const { world, cwd } = await createPlace(t);
  const http = { MILLRACE_HTTP: `127.0.0.1:${await freePort()}` };
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

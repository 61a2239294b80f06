/** Options of `millrace watch` that say which files are taken, and what stays at the end. */
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { createPlace, createPlaceOnDatabase, deliver, products, Typed } from './watch-typed.ts';

t.test('watch: files that cannot be stored or read are refused before anything is created', async (t) => {
  const { cwd, env } = await createPlaceOnDatabase(t);
  for (const [run, into, problem] of [
    ['cp "$in" "$out/$name"', '/proc/x', /--into: nothing can be stored in \/proc\/x: .*ENOENT/],
    ['cp "$in" "$out/$name"', '/proc/x/y', /--into: nothing can be stored in \/proc\/x\/y: .*ENOENT/],
    ['cp "$in" "$out/$name"', 'in/../file', /--into: nothing can be stored in .*file: .*ENOTDIR/],
    ['cp "$in "$out/$name"', 'out', /--run: is no script that bash can read/],
  ] as const) {
    await writeFile(join(cwd, 'file'), '');
    const typed = new Typed(cwd, ['in', '--run', run, '--into', into], env);
    t.equal(await typed.exited, 2, into);
    t.match(typed.errors, problem);
  }
  t.strictSame((await readdir(cwd)).sort(), ['file', 'in'], 'no service was started, and no directory made');
});

t.test('watch: a service is started elsewhere if another program has its address', async (t) => {
  const { cwd, env } = await createPlaceOnDatabase(t);
  const other = createServer((socket) => socket.on('error', () => undefined).end('not HTTP')).listen(
    0,
    '::1',
  );
  t.teardown(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const typed = new Typed(cwd, ['in', '--run', 'cp "$in" "$out/$name"', '--into', 'out'], {
    ...env,
    MILLRACE_HTTP: `[::1]:${port}`,
  });
  await typed.shows(/^the service is at http:\/\/127\.0\.0\.1:\d+/m);
  await typed.shows(/^watching /m);
  t.equal(await typed.interrupt(), 0, typed.errors);
});

t.test('watch: --new-only takes only new files, and --remove leaves nothing in the service', async (t) => {
  const { cwd, env } = await createPlaceOnDatabase(t);
  await writeFile(join(cwd, 'in/old.txt'), 'old');
  const line = ['in', '--run', 'cp "$in" "$out/$name"', '--into', 'out', '--new-only'];
  const first = new Typed(cwd, line, env);
  await first.shows(/^watching /m);
  await deliver(cwd, 'one.txt', '1');
  await first.shows(/^done {2}one\.txt/m);
  t.equal(await first.interrupt(), 0, first.errors);
  // While it is not there, files come as well: the same line takes them.
  await deliver(cwd, 'two.txt', '2');
  const second = new Typed(cwd, [...line, '--remove'], env);
  await second.shows(/^done {2}two\.txt/m);
  t.equal(await second.interrupt(), 0, second.errors);
  t.match(second.output, /^removed; files and products stay$/m);
  t.match(second.output, /^note: the workspace \S+ stays, deactivated: the file \d+ /m);
  t.strictSame(await products(cwd), ['one.txt', 'two.txt'], 'old.txt is not taken');
  t.strictSame((await readdir(join(cwd, 'in'))).sort(), ['old.txt', 'one.txt', 'two.txt'], 'no marker');
  t.notOk((await readdir(join(cwd, 'out'))).includes('.millrace-workspace'));

  // What was removed is made again, and its directories are its own again.
  const third = new Typed(cwd, line, env);
  await third.shows(/^watching /m);
  await deliver(cwd, 'three.txt', '3');
  await third.shows(/^done {2}three\.txt/m);
  t.equal(await third.interrupt(), 0, third.errors);
});

t.test('watch: a mended script runs again for failed files, and another line for known files', async (t) => {
  const { cwd, env } = await createPlaceOnDatabase(t);
  for (const name of ['good.txt', 'bad.txt']) await writeFile(join(cwd, 'in', name), name);
  const line = (run: string, into: string) => ['in', '--run', run, '--into', into];
  const wrong = new Typed(cwd, line('case $name in bad*) exit 3; esac; cp "$in" "$out/$name"', 'out'), env);
  await wrong.shows(/^failed {2}bad\.txt: .*exit code 3/m);
  await wrong.shows(/^done {2}good\.txt/m);
  t.equal(await wrong.interrupt(), 0, wrong.errors);

  const same = new Typed(cwd, line('case $name in bad*) exit 3; esac; cp "$in" "$out/$name"', 'out'), env);
  await same.shows(/^watching /m);
  const again =
    /`millrace job requeue --status FAILED --type in-\w+( --server \S+)?` in another terminal does that$/m;
  t.match(same.output, /^note: 1 file failed earlier and is not run again; /m);
  t.match(same.output, again);
  t.equal(await same.interrupt(), 0, same.errors);

  const mended = new Typed(cwd, line('cp "$in" "$out/$name"', 'out'), env);
  await mended.shows(/^done {2}bad\.txt -> bad\.txt/m);
  t.match(
    mended.output,
    /the script has changed; it runs again for what failed \(1 file\); what is done stays \(1 file\)/,
  );
  t.equal(await mended.interrupt(), 0, mended.errors);
  t.strictSame(await products(cwd), ['bad.txt', 'good.txt']);

  const other = new Typed(cwd, line('wc -c <"$in" >"$out/$name"', 'counted'), env);
  await other.shows(/^done {2}good\.txt -> good\.txt/m);
  await other.shows(/^done {2}bad\.txt -> bad\.txt/m);
  t.notMatch(other.output, /not taken/);
  t.equal(await other.interrupt(), 0, other.errors);
});

t.test(
  'watch: all data of the service that it starts is in its data folder, which others cannot list',
  async (t) => {
    const { cwd, env } = await createPlace(t);
    const typed = new Typed(cwd, ['in', '--run', 'cp "$in" "$out/"', '--into', 'out'], env);
    await typed.shows(/^watching /m);
    t.equal(await typed.interrupt(), 0, typed.errors);
    const names = await readdir(join(cwd, '.millrace'));
    t.ok(names.includes('postgres'), `the database is in ${names.join(', ')}`);
    t.notOk(names.includes('postgres.location'), 'not below /var/lib');
    t.equal((await stat(join(cwd, '.millrace'))).mode & 0o777, 0o711);
  },
);

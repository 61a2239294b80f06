/** `millrace watch` as a newcomer types it: one line, real files, a service that it starts and stops by itself. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { freePort } from '../../support/services/free-port.ts';
import { processesOf } from '../harness/folder-processes.ts';
import { until } from '../harness/until.ts';
import { createPlace, createPlaceOnDatabase, deliver, products, Typed } from './watch-typed.ts';

const SORT = 'sort "$in" | gzip >"$out/$name.gz"';

t.test(
  'watch: it makes products from files, and the same line continues after an interruption',
  async (t) => {
    const { world, cwd, env } = await createPlace(t);
    await writeFile(join(cwd, 'in/notes.txt'), 'b\na\n');
    await writeFile(join(cwd, 'in/other.md'), 'not matched\n');
    const line = ['./in', '--run', SORT, '--into', './out', '--match', '*.txt'];
    const first = new Typed(cwd, line, env);
    await first.shows(/^done {2}notes\.txt -> notes\.txt\.gz/m);
    const hostile = `$(touch broken) '"; \u001b[31m`;
    await deliver(cwd, `${hostile}.txt`, '2\n1\n');
    await first.shows(/^done {2}\$\(touch broken\)/m);
    t.notMatch(first.output, '\u001b', 'a name cannot command the terminal');
    t.equal(await first.interrupt(), 0, first.errors);
    t.match(first.output, /paused; the same line continues/);
    t.strictSame(
      processesOf(world.folder).map(({ commandLine }) => commandLine),
      [],
      'the service that it started has ended',
    );
    const made = await readFile(join(cwd, 'out', `${hostile}.txt.gz`));
    t.equal(gunzipSync(made).toString(), '1\n2\n');

    await deliver(cwd, 'later.txt', 'x\n');
    const again = new Typed(cwd, line, env);
    await again.shows(/^done {2}later\.txt -> later\.txt\.gz/m);
    t.equal(await again.interrupt(), 0);
    t.notMatch(again.output, /notes\.txt/, 'what was done is not done again');
    t.strictSame(await products(cwd), [`${hostile}.txt.gz`, 'later.txt.gz', 'notes.txt.gz'].sort());
  },
);

t.test(
  'watch: failures, files without products and clashing names are shown with their causes',
  async (t) => {
    const { cwd, env } = await createPlaceOnDatabase(t);
    const script = [
      'case $stem in bad) echo first >&2; echo "cannot read $name" >&2; exit 3 ;; idle) exit 0 ;; esac',
      'cp "$in" "$out/same"',
    ].join('; ');
    for (const name of ['bad.txt', 'idle.txt']) await writeFile(join(cwd, 'in', name), name);
    // Inside the watched directory: what arrives there is not watched.
    const typed = new Typed(cwd, ['in', '--run', script, '--into', 'in/made'], env);
    await typed.shows(/^failed {2}bad\.txt: .*exit code 3$/m);
    await typed.shows(/^ +cannot read bad\.txt$/m);
    await typed.shows(/^no product {2}idle\.txt/m);
    await deliver(cwd, 'one', '1');
    await typed.shows(/^done {2}one -> same/m);
    await deliver(cwd, 'two', '2');
    await typed.shows(/^failed {2}two: .*same/m);
    t.equal(await typed.interrupt(), 0, typed.errors);
    t.strictSame(await products(cwd, 'in/made'), ['same']);
    t.equal(await readFile(join(cwd, 'in/made/same'), 'utf8'), '1', 'the other product is what it was');
  },
);

t.test('watch: a changed script runs for files that arrive from then on', async (t) => {
  const { cwd, env } = await createPlaceOnDatabase(t);
  await writeFile(join(cwd, 'in/a'), 'a');
  const first = new Typed(cwd, ['in', '--run', 'cp "$in" "$out/$name.1"', '--into', 'out'], env);
  await first.shows(/^done {2}a -> a\.1/m);
  t.equal(await first.interrupt(), 0, first.errors);
  await writeFile(join(cwd, 'in/b'), 'b');
  const second = new Typed(cwd, ['in', '--run', 'cp "$in" "$out/$name.2"', '--into', 'out'], env);
  await second.shows(/^done {2}b -> b\.2/m);
  t.match(second.output, /the script has changed/);
  t.equal(await second.interrupt(), 0, second.errors);
  t.strictSame(await products(cwd), ['a.1', 'b.2']);
});

t.test('watch: a watch that is killed leaves no service behind', async (t) => {
  const { world, cwd, env } = await createPlace(t);
  const typed = new Typed(cwd, ['in', '--run', SORT, '--into', 'out'], env);
  await typed.shows(/^watching /m);
  typed.child.kill('SIGKILL');
  await until('all of it has ended', async () => processesOf(world.folder).length === 0);
});

t.test('watch: a line that cannot be meant so is refused, and nothing is started', async (t) => {
  const { world, cwd, env } = await createPlace(t);
  const refused = async (
    args: readonly string[],
    what: RegExp,
    others: Readonly<Record<string, string>> = {},
  ) => {
    const typed = new Typed(cwd, args, { ...env, ...others });
    t.equal(await typed.exited, 2, args.join(' '));
    t.match(typed.errors, what);
    t.match(typed.errors, /--help/);
  };
  const into = ['--into', 'out'];
  await refused([], /directory: which one/);
  await refused(['in'], /--run: which script/);
  await refused(['in', '--run', SORT], /--into: where/);
  await refused(['in', '--run', 'sort  | gzip >/.gz', ...into], /single quotes[\s\S]*writes to \/\.gz/);
  await refused(['none', '--run', SORT, ...into], /none is no directory/);
  await refused(['in', '--run', SORT, '--into', 'in'], /is the watched directory/);
  await refused(['in', '--run', SORT, '--match', '[a', ...into], /--match: .*no ']'/);
  await refused(['in', '--run', SORT, '--match', 'a/*', ...into], /--match: .*names/);
  await refused(
    ['in', 'more', '--run', SORT, ...into],
    /too many arguments: more\. .*a pattern needs single quotes/,
  );
  await refused(['in', '--run', SORT, '--cpus', 'many', ...into], /--cpus: must be a number/);
  await refused(['in', '--run', SORT, '--name', 'No Name', ...into], /--name: /);
  await refused(['in', '--run', SORT, '--token=x', ...into], /--token/);
  const elsewhere = { MILLRACE_SERVER: 'https://millrace.example' };
  await refused(['in', '--run', SORT, ...into], /another machine/, elsewhere);
  await refused(['in', '--run', SORT, '--server', 'nonsense', ...into], /--server: is no address/);
  t.strictSame(processesOf(world.folder), []);
  t.strictSame((await readdir(cwd)).sort(), ['in'], 'nothing is made');
});

t.test('watch: an unreachable service is reported', async (t) => {
  const { cwd } = await createPlace(t);
  const server = `http://127.0.0.1:${await freePort()}`;
  const typed = new Typed(cwd, ['in', '--run', SORT, '--into', 'out', '--server', server]);
  t.equal(await typed.exited, 6);
  t.match(typed.errors, server.slice('http://'.length));
  const secret = new Typed(cwd, [
    'in',
    '--run',
    SORT,
    '--into',
    'out',
    '--server',
    'http://me:secret@127.0.0.1:1',
  ]);
  t.equal(await secret.exited, 2);
  t.match(secret.errors, /--server .*the address of the server has a user/);
  t.notMatch(secret.errors, 'secret');
  t.strictSame(await readdir(cwd), ['in'], 'nothing is made');
});

t.test('watch: a directory of another service is left alone', async (t) => {
  const { cwd, env } = await createPlace(t);
  await writeFile(join(cwd, 'in/.millrace-workspace'), '6d6e2a0e-6f0c-4b8e-9d3c-0a1b2c3d4e5f\n');
  const typed = new Typed(cwd, ['in', '--run', SORT, '--into', 'out'], env);
  t.equal(await typed.exited, 1);
  t.match(typed.errors, /is a workspace of another Millrace service[\s\S]*remove this file/);
});

/** `millrace watch` when a product's path is not free: it says what has it, and the commands that it shows help. */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createPlaceOnDatabase, deliver, PROGRAM, Typed } from './watch-typed.ts';

const LINE = ['in', '--run', 'cp "$in" "$out/$name.1"', '--into', 'out'];

t.test(
  'watch: the product of an edited file is not replaced, unless by the commands that are shown',
  async (t) => {
    const { cwd, env } = await createPlaceOnDatabase(t);
    await writeFile(join(cwd, 'in/notes.txt'), 'first');
    const typed = new Typed(cwd, LINE, env);
    await typed.shows(/^done {2}notes\.txt -> notes\.txt\.1/m);
    await deliver(cwd, 'notes.txt', 'second');
    await typed.shows(
      /^failed {2}notes\.txt: Product Path Taken: 'notes\.txt\.1' .*: it is the product of job \d+ from notes\.txt$/m,
    );
    await typed.shows(/^ +its content has changed since its product was made, and nothing is overwritten\./m);
    t.equal(await readFile(join(cwd, 'out/notes.txt.1'), 'utf8'), 'first');

    const commands = [...typed.output.matchAll(/`(millrace [^`]+)` in another terminal/g)].map(
      ([, one]) => one,
    );
    t.match(commands, [/^millrace purge \d+ --wait --server /, /^millrace job requeue \d+ --server /]);
    const shell = `millrace() { "${process.execPath}" "${PROGRAM}" "$@" --yes; }; ${commands.join(' && ')}`;
    const { PATH } = process.env;
    const done = spawnSync('sh', ['-c', shell], { cwd, env: { PATH, HOME: cwd }, encoding: 'utf8' });
    t.equal(done.status, 0, done.stderr);
    await typed.shows(/^done {2}notes\.txt -> [\s\S]*^done {2}notes\.txt -> /m);
    t.equal(await readFile(join(cwd, 'out/notes.txt.1'), 'utf8'), 'second');
    t.equal(await typed.interrupt(), 0, typed.errors);
  },
);

t.test('watch: a clash with another file, and with a file of nobody, says what to change', async (t) => {
  const { cwd, env } = await createPlaceOnDatabase(t);
  const typed = new Typed(cwd, ['in', '--run', 'cp "$in" "$out/$ext"', '--into', 'out'], env);
  await typed.shows(/^watching /m);
  await deliver(cwd, 'one.txt', '1');
  await typed.shows(/^done {2}one\.txt -> txt/m);
  await deliver(cwd, 'two.txt', '2');
  await typed.shows(
    /^failed {2}two\.txt: .*: it is the product of job \d+ from one\.txt\n +.*let the script use \$name/m,
  );
  await writeFile(join(cwd, 'out/jpg'), 'mine');
  await deliver(cwd, 'three.jpg', '3');
  await typed.shows(
    /^failed {2}three\.jpg: .*no job has stored\n +.*move it away, then `millrace job requeue \d+/m,
  );
  t.equal(await readFile(join(cwd, 'out/jpg'), 'utf8'), 'mine');
  t.equal(await typed.interrupt(), 0, typed.errors);
});

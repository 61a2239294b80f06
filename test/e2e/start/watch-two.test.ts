/** Two lines over one directory. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { createPlace, deliver, products, Typed } from './watch-typed.ts';

t.test(
  'watch: of two lines over one directory, the one goes on when the other removes its records',
  async (t) => {
    const { world, cwd } = await createPlace(t);
    const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
    const line = (from: string, ending: string, ...others: string[]) =>
      new Typed(cwd, [
        ...[from, '--run', 'cp "$in" "$out/"', '--into', ending, '--match', `*.${ending}`],
        ...['--server', up.url, ...others],
      ]);
    await writeFile(join(cwd, 'in/a.txt'), 'a');
    const texts = line('in', 'txt', '--remove');
    await texts.shows(/^done {2}a\.txt/m);
    const images = line('in', 'jpg');
    await images.shows(/^watching /m);
    t.equal(await texts.interrupt(), 0, texts.errors);
    t.match(texts.output, /^note: the workspace in-\w+ stays: /m, 'and is not deactivated');
    await deliver(cwd, 'b.jpg', 'b');
    await images.shows(/^done {2}b\.jpg/m);
    t.strictSame(await products(cwd, 'jpg'), ['b.jpg']);
    t.equal(await images.interrupt(), 0, images.errors);

    // Typed at the same time, each needs a workspace of the directory.
    await mkdir(join(cwd, 'more'));
    const both = ['jpg', 'txt'].map((ending) => line('more', ending));
    for (const one of both) await one.shows(/^watching /m);
    for (const one of both) t.equal(await one.interrupt(), 0, one.errors);
  },
);

t.test('watch: where the same line runs twice, the end of one tells the other how to continue', async (t) => {
  const { world, cwd } = await createPlace(t);
  const up = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const line = ['in', '--run', 'cp "$in" "$out/"', '--into', 'out', '--server', up.url];
  const first = new Typed(cwd, line);
  await first.shows(/^watching /m);
  const second = new Typed(cwd, line);
  await second.shows(/^note: this directory was being watched already\nwatching /m);
  t.equal(await first.interrupt(), 0, first.errors);
  await second.shows(
    /^note: waiting: the strike is paused, as when another line .*: end this one, and type it/m,
  );
  t.equal(await second.interrupt(), 0, second.errors);
});

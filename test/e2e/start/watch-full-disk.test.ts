/** `millrace watch` whose own service starts late or not at all: a full disk, a wrong folder, Ctrl-C. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { needsDisks, SmallDisk } from '../torture/small-disk.ts';
import { createPlace, Typed } from './watch-typed.ts';

const FULL = /^note: the disk of \S+\/up is full \(\d+ MiB are free\): its database needs room to work$/m;

/** Until `typed` has shown this. The disk is kept full meanwhile: the database may delete files of its log. */
async function showsOnFull(disk: SmallDisk, typed: Typed, what: RegExp): Promise<void> {
  disk.fill();
  const filling = setInterval(() => disk.fill(), 500);
  await typed.shows(what).finally(() => clearInterval(filling));
}

t.test('watch: a full disk is named, at the start and later, and is waited for', needsDisks(), async (t) => {
  const { world, cwd, env } = await createPlace(t);
  const disk = new SmallDisk(join(world.folder, 'disk'), 400, 0o711);
  const line = ['in', '--run', 'cp "$in" "$out/"', '--into', 'out', '--data-dir', join(disk.folder, 'up')];
  await writeFile(join(cwd, 'in/one'), '1');

  disk.fill();
  const refused = new Typed(cwd, line, env);
  t.equal(await refused.exited, 2);
  t.match(refused.errors, /up cannot have the data of a service: the disk is full \(ENOSPC\)/);

  disk.free();
  const first = new Typed(cwd, line, env);
  await first.shows(/^watching /m);
  // From the beginning less is free than a task needs, which is said before.
  await showsOnFull(disk, first, new RegExp(`^note: waiting: [^]*${FULL.source}`, 'm'));
  disk.free();
  t.equal(await first.interrupt(), 0, first.errors);

  disk.fill();
  const second = new Typed(cwd, line, env);
  await showsOnFull(disk, second, FULL);
  disk.free();
  await second.shows(/^watching /m);
  t.equal(await second.interrupt(), 0, second.errors);
});

t.test('watch: a folder that cannot have the data of a service is refused', async (t) => {
  const { cwd, env } = await createPlace(t);
  await writeFile(join(cwd, 'file'), '');
  for (const [folder, reason] of [
    ['/proc/x', 'there is no such file or directory'],
    ['file', 'a part of its path is no directory'],
    ['file/x', 'a part of its path is no directory'],
  ] as const) {
    const typed = new Typed(
      cwd,
      ['in', '--run', 'cp "$in" "$out/"', '--into', 'out', '--data-dir', folder],
      env,
    );
    t.equal(await typed.exited, 2, folder);
    t.match(typed.errors, `${folder} cannot have the data of a service: ${reason}`);
  }
  t.strictSame((await readdir(cwd)).sort(), ['file', 'in']);
});

t.test('watch: Ctrl-C ends it while its service starts', async (t) => {
  const { cwd, env } = await createPlace(t);
  const typed = new Typed(cwd, ['in', '--run', 'cp "$in" "$out/"', '--into', 'out'], env);
  await typed.shows(/^starting a service/m);
  t.equal(await typed.interrupt(), 0, typed.errors);
  t.equal(typed.output, 'starting a service ...\n', 'it does not wait until the service is ready');
});

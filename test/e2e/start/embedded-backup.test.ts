/** The embedded database's backup as docs/backup.md has it: the data folder, copied while Millrace is stopped. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface Recipe {
  readonly id: number;
  readonly is_completed: boolean;
}

t.test(
  'embedded: a copy of the stopped data folder is put back, and work continues from there',
  async (t) => {
    const world = await createWorld(t);
    const folder = join(world.folder, 'up');
    const copy = join(world.folder, 'copy');
    let up = await world.start('up', 'up');
    const work = await DemoWork.create(world, clientOf(up), 6);
    await work.deliver(4);
    await until('work is under way', async () => (await work.progress(clientOf(up))) > 2);
    t.equal(await up.end('SIGTERM'), 0);
    t.notOk(existsSync(join(folder, 'postgres.location')), 'all of it is in the folder');
    execFileSync('cp', ['-a', folder, copy]);

    up = await world.start('up', 'up');
    await work.finished(clientOf(up));
    t.equal(await up.end('SIGTERM'), 0);
    rmSync(folder, { recursive: true });
    execFileSync('mv', [copy, folder]);

    up = await world.start('up', 'up');
    const client = clientOf(up);
    await until('what was under way then comes to its end', async () => {
      const recipes = await listed<Recipe>(client, '/v6/recipes/');
      const live = await client.count('/v6/ingests/?status=TRANSFERRING&status=TRANSFERRED&status=INGESTING');
      return live === 0 && recipes.every((recipe) => recipe.is_completed);
    });
    const before = await client.count('/v6/recipes/');
    await work.deliver(2);
    await until('and so does what is new', async () => {
      return (await client.count('/v6/recipes/?is_completed=true')) === before + 2;
    });
    const paths = (await listed<{ file_path: string }>(client, '/v6/files/')).map((file) => file.file_path);
    t.equal(new Set(paths).size, paths.length, 'each file is recorded once');
    t.same(
      paths.filter((path) => !existsSync(join(world.at.archive, path))),
      [],
      'and is there',
    );
  },
);

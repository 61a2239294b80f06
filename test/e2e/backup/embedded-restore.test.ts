/** `millrace backup` and `millrace restore` with the embedded database: while it runs, and into a new data folder. */
import { join } from 'node:path';
import t from 'tap';
import { Program } from '../harness/program.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test('embedded: a backup of the running service is restored into a new data folder', async (t) => {
  const world = await createWorld(t);
  const file = join(world.folder, 'all.backup');
  const command = async (name: 'backup' | 'restore', folder: string) => {
    const program = Program.launch({ ...world.options('up', folder), command: name as 'up', args: [file] });
    t.equal(await program.exited, 0, program.log);
  };
  const before = await world.start('up', 'up');
  const work = await DemoWork.create(world, clientOf(before), 4);
  await work.deliver(2);
  await work.finished(clientOf(before));
  const recorded = await listed<{ id: number; sha256: string }>(clientOf(before), '/v6/files/');
  await command('backup', 'up');
  t.equal(await before.end('SIGTERM'), 0);
  await command('backup', 'up'); // starts the server, and stops it again
  await command('restore', 'elsewhere');

  const after = await world.start('up', 'elsewhere');
  t.same(
    (await listed<{ id: number; sha256: string }>(clientOf(after), '/v6/files/')).map(({ id }) => id),
    recorded.map(({ id }) => id),
  );
  await work.deliver(2);
  await until('what is new goes its way', async () => {
    return (await clientOf(after).count('/v6/recipes/?is_completed=true')) === 4;
  });
});

import t from 'tap';
import { killProcessesOf } from '../harness/folder-processes.ts';
import { KILLING_FILES, killAgainAndAgain } from '../harness/killing.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { seeded } from '../harness/work/seeded.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test('everything is killed again and again, with database and tasks: all work is done once', async (t) => {
  const world = await createWorld(t);
  let service = await world.start('up', 'up');
  const client = () => clientOf(service);
  // Tasks die as well, and each death is a try.
  const work = await DemoWork.create(world, client(), KILLING_FILES, 20);
  await killAgainAndAgain(t, {
    random: seeded(t),
    work,
    client,
    async killAndRestart(round) {
      // Every third time it dies alone: its database and its tasks continue, and are adopted.
      if (round % 3 === 2) await service.end();
      else killProcessesOf(world.folder);
      await service.exited;
      service = await world.start('up', 'up');
    },
  });
  await work.finished(client());
  await checkQuiet(t, { world, client: client(), work });
});

import { join } from 'node:path';
import t from 'tap';
import { readPostmasterFile } from '../../../src/embedded/postmaster.ts';
import { signal } from '../harness/folder-processes.ts';
import { KILLING_FILES, killAgainAndAgain } from '../harness/killing.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { seeded } from '../harness/work/seeded.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test(
  'the database is killed again and again: the service survives, and all work is done once',
  async (t) => {
    const world = await createWorld(t);
    const service = await world.start('up', 'up');
    const client = () => clientOf(service);
    const work = await DemoWork.create(world, client(), KILLING_FILES);
    const cluster = join(world.folder, 'up/postgres/data');
    const postmaster = () => readPostmasterFile(cluster)?.pid;
    await killAgainAndAgain(t, {
      random: seeded(t),
      work,
      client,
      async killAndRestart() {
        const killed = postmaster();
        if (killed === undefined) throw new Error(`no server in ${cluster}`);
        signal(killed, 'SIGKILL');
        await until('another server runs', () => ![undefined, killed].includes(postmaster()));
      },
    });
    t.notOk(service.hasExited, 'the service is the one that was started');
    await work.finished(client());
    await checkQuiet(t, { world, client: client(), work });
  },
);

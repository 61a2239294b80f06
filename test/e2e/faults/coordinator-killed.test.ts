import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { KILLING_FILES, killAgainAndAgain } from '../harness/killing.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { seeded } from '../harness/work/seeded.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test('the coordinator is killed again and again: all work is done once', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const env = {
    DATABASE_URL: await migratedDatabase(t),
    NATS_URL: await serviceUrl('nats'),
    MILLRACE_GRPC: grpc,
  };
  let coordinator = await world.start('coordinator', 'coordinator', env);
  await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  const client = () => clientOf(coordinator);
  const work = await DemoWork.create(world, client(), KILLING_FILES);
  await killAgainAndAgain(t, {
    random: seeded(t),
    work,
    client,
    async killAndRestart() {
      await coordinator.end();
      coordinator = await world.start('coordinator', 'coordinator', env);
    },
  });
  await work.finished(client());
  await checkQuiet(t, { world, client: client(), work });
});

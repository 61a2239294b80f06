import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import type { Program } from '../harness/program.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test(
  'two coordinators: the one with the node is killed, and the other continues',
  needs('nats'),
  async (t) => {
    const world = await createWorld(t);
    const shared = { DATABASE_URL: await migratedDatabase(t), NATS_URL: await serviceUrl('nats') };
    const ports = [await freePort(), await freePort()];
    const start = (index: number): Promise<Program> =>
      world.start('coordinator', `coordinator-${index}`, {
        ...shared,
        MILLRACE_GRPC: `127.0.0.1:${ports[index]}`,
      });
    const coordinators = [await start(0), await start(1)];
    const at = (index: number) => clientOf(coordinators[index] as Program);
    const agent = await world.start('agent', 'agent', {
      MILLRACE_COORDINATORS: ports.map((port) => `127.0.0.1:${port}`).join(','),
    });
    /** Index of the coordinator that the agent's newest session is with. */
    const ownerOfNode = (): number => {
      const opened = agent.log.matchAll(/"address":"127\.0\.0\.1:(\d+)".*"session_opened"/g);
      return ports.indexOf(Number([...opened].at(-1)?.[1]));
    };
    await until('the agent has joined', () => ownerOfNode() >= 0);
    const work = await DemoWork.create(world, at(0), 60);

    // Each is killed once, so that whatever only one has (node, scheduler, strike) has lost its owner once.
    for (let kill = 0; kill < 2; kill += 1) {
      const owner = ownerOfNode();
      const other = 1 - owner;
      await work.deliver(20);
      await until('work is under way', async () => (await work.progress(at(other))) > 40 * kill);
      await coordinators[owner]?.end();
      await work.deliver(10);
      await work.finished(at(other));
      t.equal(ownerOfNode(), other, 'the agent has found the other one');
      coordinators[owner] = await start(owner);
    }
    await checkQuiet(t, { world, client: at(0), work });
    t.strictSame(
      await at(0).get('/v6/recipes/?page_size=1000&order=id'),
      JSON.parse(
        JSON.stringify(await at(1).get('/v6/recipes/?page_size=1000&order=id')).replaceAll(
          at(1).base,
          at(0).base,
        ),
      ),
      'both tell the same',
    );
  },
);

import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { KILLING_FILES, killAgainAndAgain } from '../harness/killing.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { seeded } from '../harness/work/seeded.ts';
import { SlowJobs } from '../harness/work/slow-jobs.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test('the agent is killed again and again: its tasks continue, and all work is done once', async (t) => {
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const env = { DATABASE_URL: await migratedDatabase(t), MILLRACE_GRPC: grpc };
  const coordinator = await world.start('coordinator', 'coordinator', env);
  const startAgent = () => world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  let agent = await startAgent();
  const client = () => clientOf(coordinator);
  const work = await DemoWork.create(world, client(), KILLING_FILES);
  const slow = await SlowJobs.create(world, client, 2);
  const killedMs: number[] = [];
  await killAgainAndAgain(t, {
    random: seeded(t),
    work,
    client,
    feed: () => slow.queue(),
    async killAndRestart() {
      killedMs.push(Date.now());
      await agent.end();
      agent = await startAgent();
    },
  });
  await work.finished(client());
  await until('the slow jobs are done', async () =>
    (await slow.all()).every((job) => job.status === 'COMPLETED'),
  );
  await checkQuiet(t, { world, client: client(), work });

  const jobs = await slow.all();
  t.strictSame(
    jobs.filter((job) => job.num_exes !== 1 || slow.begun(job.id) !== 1).map(({ id }) => id),
    [],
    'no task was run twice: all that ran were adopted',
  );
  const across = jobs.filter(({ started, ended }) =>
    killedMs.some((atMs) => Date.parse(started) < atMs && atMs < Date.parse(ended)),
  );
  t.ok(across.length > 0, `${across.length} tasks ran on while their agent was killed`);
});

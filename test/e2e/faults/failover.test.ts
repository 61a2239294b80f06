/**
 * How long work waits when the coordinator that has the scheduler is killed: jobs that are queued right after it,
 * through another coordinator, until their commands begin. `npm run long -- failover` measures;
 * here it is only that they do begin.
 */
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { SlowJobs } from '../harness/work/slow-jobs.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const TIMES = Number(process.env.FAILOVERS ?? 2);

interface Status {
  readonly scheduler: { readonly cluster_manager: { readonly master_port: number } };
}

t.test('failover: work continues in seconds without the scheduler’s owner', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const shared = { DATABASE_URL: await migratedDatabase(t), NATS_URL: await serviceUrl('nats') };
  const ports = [await freePort(), await freePort()] as const;
  const start = (index: 0 | 1): Promise<Program> =>
    world.start('coordinator', `coordinator-${index}`, {
      ...shared,
      MILLRACE_GRPC: `127.0.0.1:${ports[index]}`,
    });
  const coordinators = [await start(0), await start(1)];
  const agent = await world.start('agent', 'agent', {
    MILLRACE_COORDINATORS: `127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}`,
  });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  let survivor = 0;
  const client = () => clientOf(coordinators[survivor] as Program);
  const jobs = await SlowJobs.create(world, client, 0);
  const began = async () => {
    await jobs.queue();
    const id = jobs.ids.at(-1) as number;
    await until('the job begins', () => jobs.begun(id) > 0);
  };
  await began();
  const waitedMs: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    // Each picked a port of its own, by which the others know it.
    const owner = await until('somebody has the scheduler', async () => {
      const { scheduler } = await client().get<Status>('/v6/status/');
      const { master_port: port } = scheduler.cluster_manager;
      const index = coordinators.findIndex(({ url }) => Number(new URL(url).port) === port);
      return index < 0 ? undefined : index;
    });
    survivor = 1 - owner;
    const killedMs = performance.now();
    await coordinators[owner]?.end();
    await until('the job is taken', () => began().then(() => true));
    waitedMs.push(performance.now() - killedMs);
    coordinators[owner] = await start(owner as 0 | 1);
    await until('both take requests', async () => {
      const answers = await Promise.all(coordinators.map((one) => fetch(`${one.url}v6/ready/`)));
      return answers.every((one) => one.ok);
    });
  }
  const sorted = waitedMs.map((ms) => Math.round(ms)).sort((a, b) => a - b);
  t.comment(
    `failover in ms: p50 ${sorted[Math.floor(sorted.length / 2)]}, max ${sorted.at(-1)}, all ${sorted}`,
  );
  t.equal(sorted.length, TIMES);
});

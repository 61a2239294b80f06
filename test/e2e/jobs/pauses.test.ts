import { writeFileSync } from 'node:fs';
import pg from 'pg';
import t, { type Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { causedBy } from '../harness/causes.ts';
import { startPair } from '../harness/pair.ts';
import { stays, until } from '../harness/until.ts';
import { createJobType, jobIs, jobOf, queueJob } from '../harness/work/job-types.ts';

/** Some ten times what a job takes to be placed. */
const HELD_MS = 1_000;

interface Pause {
  readonly what: string;
  readonly set: (client: InterfaceClient, isPaused: boolean) => Promise<void>;
  /** A job that the pause does not concern still runs. */
  readonly othersRun: boolean;
}

const PAUSES: readonly Pause[] = [
  {
    what: 'scheduler',
    set: (client, isPaused) => client.patch('/v6/scheduler/', { is_paused: isPaused }),
    othersRun: false,
  },
  {
    what: 'node',
    async set(client, isPaused) {
      const { results } = await client.get<{ results: { id: number }[] }>('/v6/nodes/');
      await client.patch(`/v6/nodes/${results[0]?.id}/`, {
        is_paused: isPaused,
        pause_reason: isPaused ? 'tea' : null,
      });
    },
    othersRun: false,
  },
  {
    what: 'job type',
    set: (client, isPaused) => client.patch('/v6/job-types/held/1.0.0/', { is_paused: isPaused }),
    othersRun: true,
  },
];

async function databaseOf(t: Test, url: string) {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  t.teardown(() => database.end());
  return {
    limit: (typeId: number, max: number) =>
      database.query('update job_type set max_scheduled = $2 where id = $1', [typeId, max]),
    pauseNodes: () => database.query('update node set is_paused = true'),
  };
}

t.test('pauses: the scheduler, a node or a job type holds jobs back while it is paused', async (t) => {
  const { client } = await startPair(t);
  const held = await createJobType(client, { name: 'held', script: 'true' });
  const probe = await createJobType(client, { name: 'probe', script: 'true' });
  await jobIs(client, await queueJob(client, probe), ['COMPLETED']);
  for (const { what, set, othersRun } of PAUSES) {
    await set(client, true);
    const id = await queueJob(client, held);
    if (othersRun) await jobIs(client, await queueJob(client, probe), ['COMPLETED']);
    const isHeld = await stays(async () => (await jobOf(client, id)).status === 'QUEUED', HELD_MS);
    t.ok(isHeld, `${what} paused: the job waits`);
    t.equal((await jobOf(client, id)).num_exes, 1, `${what} paused: it waits for its first execution`);
    await set(client, false);
    await jobIs(client, id, ['COMPLETED']);
    t.pass(`${what} resumed: the job runs`);
  }
});

t.test('pauses: a limit that the scheduler does not know yet holds jobs queued after it', async (t) => {
  const url = await migratedDatabase(t);
  const { client } = await startPair(t, { coordinator: { DATABASE_URL: url } });
  const typeId = await createJobType(client, { name: 'limited', script: 'exec sleep 600' });
  const probe = await createJobType(client, { name: 'probe', script: 'true' });
  await jobIs(client, await queueJob(client, probe), ['COMPLETED']);

  // As if the message behind the answer to PATCH had been lost.
  const { limit } = await databaseOf(t, url);
  await limit(typeId, 1);
  const ids = await Promise.all([queueJob(client, typeId), queueJob(client, typeId)]);
  const jobs = () => Promise.all(ids.map((id) => jobOf(client, id)));
  await until('one of them runs', async () => (await jobs()).some(({ status }) => status === 'RUNNING'));
  const waiting = await until('the other one waits', async () => {
    return (await jobs()).find(({ status }) => status === 'QUEUED')?.id;
  });
  await causedBy(client, `/v6/jobs/${waiting}/why/`, 'job-type-limit');
});

t.test('pauses: a paused node takes no job, even if the scheduler does not know of the pause', async (t) => {
  const url = await migratedDatabase(t);
  const { client } = await startPair(t, { coordinator: { DATABASE_URL: url } });
  const probe = await createJobType(client, { name: 'probe', script: 'true' });
  await jobIs(client, await queueJob(client, probe), ['COMPLETED']);
  const { pauseNodes } = await databaseOf(t, url);
  await pauseNodes();
  const id = await queueJob(client, probe);
  const [paused] = await causedBy(client, `/v6/jobs/${id}/why/`, 'node-paused');
  t.match(paused.subjects, [{ kind: 'node' }]);
  t.ok(await stays(async () => (await jobOf(client, id)).status === 'QUEUED', HELD_MS), 'the job waits');
});

t.test('pauses: a job that runs continues while its node is paused', async (t) => {
  const { client, world } = await startPair(t);
  const gate = `${world.seenByTasks}/go`;
  const script = `until test -e ${gate}; do sleep 0.1; done`;
  const id = await queueJob(client, await createJobType(client, { name: 'held', script }));
  await jobIs(client, id, ['RUNNING']);
  await PAUSES[1]?.set(client, true);
  writeFileSync(gate, '');
  const job = await jobIs(client, id, ['COMPLETED', 'FAILED', 'QUEUED', 'CANCELED']);
  t.equal(job.status, 'COMPLETED');
  t.equal(job.num_exes, 1);
});

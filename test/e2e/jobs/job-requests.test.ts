import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, jobOf, queueJob } from '../harness/work/job-types.ts';

t.test(
  'job requests: running and waiting jobs are canceled, and run again when they are requeued',
  async (t) => {
    const { client } = await startPair(t);
    const slow = await createJobType(client, { name: 'slow', script: 'sleep 60' });
    const quick = await createJobType(client, { name: 'quick', script: 'true' });
    const running = await queueJob(client, slow);
    await jobIs(client, running, ['RUNNING']);
    await client.patch('/v6/job-types/quick/1.0.0/', { is_paused: true });
    const waiting = await queueJob(client, quick);

    await client.post('/v6/jobs/cancel/', { job_type_names: ['slow', 'quick'] });
    await jobIs(client, running, ['CANCELED']);
    await jobIs(client, waiting, ['CANCELED']);

    await client.patch('/v6/job-types/quick/1.0.0/', { is_paused: false });
    await client.post('/v6/jobs/requeue/', { job_ids: [waiting], priority: 1 });
    await jobIs(client, waiting, ['COMPLETED']);
    t.equal((await jobOf(client, waiting)).num_exes, 2);
    t.equal((await jobOf(client, running)).status, 'CANCELED', 'only what was asked for is queued again');
  },
);

t.test('job requests: a job that never began loses no try when it is requeued', async (t) => {
  const { client } = await startPair(t);
  // A task that is ended from outside is tried again while tries are left.
  const type = await createJobType(client, { name: 'dies', script: 'kill -9 $$', maxTries: 2 });
  await client.patch('/v6/job-types/dies/1.0.0/', { is_paused: true });
  const id = await queueJob(client, type);
  t.match(await jobOf(client, id), { num_exes: 1, max_tries: 2 }, 'as the contract has it');
  for (const numExes of [2, 3]) {
    await client.post('/v6/jobs/requeue/', { job_ids: [id] });
    await until(
      `it is queued for time ${numExes}`,
      async () => (await jobOf(client, id)).num_exes === numExes,
    );
  }
  await client.post('/v6/jobs/cancel/', { job_ids: [id] });
  await jobIs(client, id, ['CANCELED']);
  await client.post('/v6/jobs/requeue/', { job_ids: [id] });
  await jobIs(client, id, ['QUEUED']);
  t.match(await jobOf(client, id), { num_exes: 4, max_tries: 5 });

  await client.patch('/v6/job-types/dies/1.0.0/', { is_paused: false });
  await jobIs(client, id, ['FAILED'], 60_000);
  t.match(await jobOf(client, id), { num_exes: 5, max_tries: 5 });
  const executions = await listed<{ exe_num: number; status: string }>(client, `/v6/jobs/${id}/executions/`);
  t.strictSame(
    executions.map(({ exe_num, status }) => [exe_num, status]).sort(),
    [
      [4, 'FAILED'],
      [5, 'FAILED'],
    ],
    'all tries of its type',
  );
});

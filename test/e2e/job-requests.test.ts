import t from 'tap';
import { createJobType, jobIs, jobOf, queueJob } from './harness/job-types.ts';
import { startPair } from './harness/pair.ts';

t.setTimeout(280_000);

t.test(
  'job requests: what runs and what waits is canceled, and runs again when it is requeued',
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
    await jobIs(client, waiting, ['COMPLETED'], 20_000);
    t.equal((await jobOf(client, waiting)).num_exes, 2);
    t.equal((await jobOf(client, running)).status, 'CANCELED', 'only what was asked for is queued again');
  },
);

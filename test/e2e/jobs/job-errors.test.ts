import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { tasksOf } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, jobOf, queueJob } from '../harness/work/job-types.ts';

t.test('jobs that fail: answers of the interface say what went wrong', async (t) => {
  const { world, client } = await startPair(t);
  const archive = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  const errors = [
    { code: 3, name: 'bad-weather', title: 'Bad weather', category: 'data' },
    { code: 4, name: 'broken', title: 'Broken', category: 'job' },
  ];
  const output = { name: 'OUT', pattern: '*.txt', mediaType: 'text/plain', required: true };
  const cases = [
    { name: 'sleeps', script: 'sleep 60', timeout: 1, expected: ['FAILED', 'timeout', 'ALGORITHM'] },
    { name: 'rains', script: 'exit 3', errors, expected: ['FAILED', 'bad-weather', 'DATA'] },
    { name: 'breaks', script: 'exit 4', errors, expected: ['FAILED', 'broken', 'ALGORITHM'] },
    { name: 'exits', script: 'exit 99', errors, expected: ['FAILED', 'algorithm-unknown', 'ALGORITHM'] },
    {
      name: 'forgets',
      script: 'true',
      outputs: [output],
      workspace: archive.name,
      expected: ['FAILED', 'missing-required-output', 'ALGORITHM'],
    },
    {
      name: 'doubles',
      script: 'touch $OUTPUT_DIR/a.txt $OUTPUT_DIR/b.txt',
      outputs: [output],
      workspace: archive.name,
      expected: ['FAILED', 'unexpected-multiple-outputs', 'ALGORITHM'],
    },
    { name: 'works', script: 'echo fine', expected: ['COMPLETED', undefined, undefined] },
  ];
  const queued = await Promise.all(
    cases.map(async ({ expected, ...sketch }) => {
      const typeId = await createJobType(client, sketch);
      return { name: sketch.name, expected, id: await queueJob(client, typeId) };
    }),
  );
  for (const { name, expected, id } of queued) {
    const job = await jobIs(client, id, ['FAILED', 'COMPLETED']);
    t.strictSame([job.status, job.error?.name, job.error?.category], expected, name);
    t.equal(job.num_exes, 1, `${name} is not tried again`);
  }
  t.equal(await client.count('/v6/files/'), 0, 'nothing of a failed job is registered');
  t.strictSame(tasksOf(world), [], 'no process of theirs is left');
});

t.test('jobs that fit on no node: they wait, and the queue says why', async (t) => {
  const { client } = await startPair(t);
  const typeId = await createJobType(client, { name: 'typo', script: 'true', image: 'process:nowhere' });
  const id = await queueJob(client, typeId);
  const queue = await until('the reason is reported', async () => {
    const { results } = await client.get<QueueStatus>('/v6/queue/status/');
    return results.some((one) => one.job_type.unmet_resources !== null) ? results : undefined;
  });
  t.match(queue, [{ count: 1, job_type: { name: 'typo', unmet_resources: /process:nowhere/ } }]);
  t.match(await jobOf(client, id), { status: 'QUEUED', started: null });
});

interface QueueStatus {
  readonly results: readonly { readonly job_type: { readonly unmet_resources: string | null } }[];
}

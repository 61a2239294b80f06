/** A job whose input lies in a deactivated workspace waits, says why, and continues when that is active again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, type JobDetails, jobIs, jobOf } from '../harness/work/job-types.ts';

t.test('deactivated workspace: work that needs it waits until it is active again', async (t) => {
  const { world, client } = await startPair(t);
  const workspace = await client.post<{ id: number; name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  writeFileSync(join(world.at.archive, 'in.txt'), 'hello');
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Archive',
    configuration: {
      workspace: workspace.name,
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: 'in', data_types: [] }],
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const file = await until('the file', async () =>
    (await listed<{ id: number }>(client, '/v6/files/')).at(0),
  );
  const typeId = await createJobType(client, {
    ...{ name: 'reads', script: 'cat $IN', inputs: [{ name: 'IN' }], maxTries: 1 },
  });
  const unmet = async () =>
    (await client.get<{ unmet_resources: string | null }>('/v6/job-types/reads/1.0.0/')).unmet_resources;
  const queue = async (): Promise<number> => {
    const body = { job_type_id: typeId, input: { files: { IN: [file.id] }, json: {} } };
    return (await client.post<{ id: number }>('/v6/jobs/', body)).id;
  };
  t.equal((await jobIs(client, await queue(), ['COMPLETED', 'FAILED'])).status, 'COMPLETED');

  await client.patch(`/v6/workspaces/${workspace.id}/`, { is_active: false });
  // Until agents and the scheduler have heard of it a job may still begin.
  await until('what comes now waits', async () => {
    const id = await queue();
    const job = await until(`job ${id} has ended, or waits`, async () => {
      const found = await jobOf(client, id);
      return (found.status !== 'RUNNING' && found.status !== 'QUEUED') || (await unmet()) !== null
        ? found
        : undefined;
    });
    return job.status === 'QUEUED';
  });
  t.match(await unmet(), /workspace/, 'the reason');
  const waiting = await queue();
  const isQueued = (job: JobDetails): boolean => job.status === 'QUEUED' && job.num_exes <= 1;
  t.ok(isQueued(await jobOf(client, waiting)));

  await client.patch(`/v6/workspaces/${workspace.id}/`, { is_active: true });
  const done = await jobIs(client, waiting, ['COMPLETED', 'FAILED', 'CANCELED']);
  t.match(done, { status: 'COMPLETED', error: null });
  await until('nothing is lacking', async () => (await unmet()) === null);
  const jobs = await listed<JobDetails & { job_type: { name: string } }>(client, '/v6/jobs/');
  const failed = jobs.filter((job) => job.job_type.name === 'reads' && job.error?.name === 'missing-mount');
  t.strictSame(failed, []);
});

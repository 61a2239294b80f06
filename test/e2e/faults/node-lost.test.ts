import t from 'tap';
import type { StoredFile } from '../../../src/cli/demo/demo-check.ts';
import { startPair } from '../harness/pair.ts';
import { checkDisk, type ExecutionRecord, listed, tasksOf } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { SlowJobs } from '../harness/work/slow-jobs.ts';

t.test('a lost node returns: what it finished is void, and no product is stored twice', async (t) => {
  const { world, agent, client } = await startPair(t, { coordinator: { MILLRACE_NODE_LOST_MS: '2000' } });
  const work = await DemoWork.create(world, client, 12);
  const slow = await SlowJobs.create(world, () => client, 'held', 'demo-archive');
  for (let count = 0; count < 3; count += 1) await slow.queue();
  await work.deliver(6);
  await until('the slow jobs run', () => slow.ids.every((id) => slow.begun(id) === 1));

  agent.signal('SIGSTOP');
  await work.deliver(6);
  await until(
    'their executions are given up',
    async () => (await slow.all()).every((job) => job.status === 'QUEUED' && job.num_exes === 2),
    30_000,
  );
  // Its tasks continue alone, and end.
  slow.letGo();
  await until('no task is left', () => tasksOf(world).length === 0);
  agent.signal('SIGCONT');

  await work.finished(client);
  await until('the slow jobs are done', async () =>
    (await slow.all()).every((job) => job.status === 'COMPLETED'),
  );
  for (const id of slow.ids) {
    const executions = await listed<ExecutionRecord>(client, `/v6/jobs/${id}/executions/`);
    const told = executions.map((one) => [one.exe_num, one.status, one.error?.name]);
    t.strictSame(told.sort(), [
      [1, 'FAILED', 'node-lost'],
      [2, 'COMPLETED', undefined],
    ]);
    t.equal(slow.begun(id), 2, 'its command ran twice');
  }
  const products = (await listed<StoredFile>(client, '/v6/files/?file_type=PRODUCT')).map(
    (file) => `${file.job?.id} ${file.job_output}`,
  );
  t.equal(new Set(products).size, products.length, 'each output of a job is one product');
  t.equal(products.length, 2 * 12 + 3);
  t.equal(await client.count('/v6/ingests/?status=INGESTED'), 12);
  await checkDisk(t, world, client);
});

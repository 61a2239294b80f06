/** The output of a task, followed over HTTP while it is written, and cut at the limit of its type. */
import { writeFileSync } from 'node:fs';
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

const MIB = 1_048_576;
const WRITTEN = 2 * MIB;

interface Execution {
  readonly id: number;
  readonly log_cut: { readonly stdout: number; readonly stderr: number } | null;
}

t.test('logs: a task’s log is followed to its end from any byte, and says what was cut off', async (t) => {
  const { client, world } = await startPair(t);
  const gate = `${world.seenByTasks}/go`;
  const script = `echo begun; until test -e ${gate}; do sleep 0.1; done; head -c ${WRITTEN} /dev/zero | tr "\\0" x`;
  const typeId = await createJobType(client, { name: 'talks', script });
  await client.patch('/v6/job-types/talks/1.0.0/', { configuration: { log_limit: 1 } });
  const id = await queueJob(client, typeId);
  const execution = await until('it runs', async () =>
    (await listed<Execution>(client, `/v6/jobs/${id}/executions/`)).at(0),
  );
  t.equal(execution.log_cut, null, 'not known before its end');
  const log = (offset: number) =>
    fetch(
      new URL(`/v6/job-executions/${execution.id}/logs/stdout/?follow=true&offset=${offset}`, client.base),
    );

  const reader = (await log(0)).body?.getReader();
  t.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'begun\n', 'while it runs');
  await reader?.cancel();
  const rest = log(6);
  writeFileSync(gate, '');
  const text = await (await rest).text();
  const cut = WRITTEN + 6 - MIB;
  t.ok(text.startsWith('x'.repeat(MIB - 6)), 'the limit of the type');
  t.match(
    text.slice(MIB - 6),
    new RegExp(`^\n\\[stdout is longer than ${MIB} bytes.*\n\\[${cut} bytes of stdout`),
  );

  await jobIs(client, id, ['COMPLETED']);
  const ended = await client.get<Execution>(`/v6/jobs/${id}/executions/1/`);
  t.strictSame(ended.log_cut, { stdout: cut, stderr: 0 });

  const unlimited = await createJobType(client, {
    name: 'talks-more',
    script: `head -c ${17 * MIB} /dev/zero | tr "\\0" x`,
  });
  const longId = await queueJob(client, unlimited);
  await jobIs(client, longId, ['COMPLETED']);
  const long = await client.get<Execution>(`/v6/jobs/${longId}/executions/1/`);
  t.strictSame(long.log_cut, { stdout: MIB, stderr: 0 }, '16 MiB are kept where the type says nothing');
});

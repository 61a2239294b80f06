/**
 * A host loses power: its tasks are gone, and what its agent had written and not synced. No test can boot a kernel, so
 * the row gets the id of another boot, as if the agent had launched the tasks in that one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { killProcessesOf } from '../harness/folder-processes.ts';
import { until } from '../harness/until.ts';
import { SlowJobs } from '../harness/work/slow-jobs.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface ExecutionRecord {
  readonly exe_num: number;
  readonly status: string;
  readonly error: { readonly name: string } | null;
}

async function setBoot(url: string): Promise<void> {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query(`update node set boot_id = 'the boot before'`);
  await database.end();
}

t.test('host loses power: tasks that its agent has no record of end, and are tried again', async (t) => {
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const url = await migratedDatabase(t);
  const env = { DATABASE_URL: url, MILLRACE_GRPC: grpc };
  const startAgent = () => world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  let coordinator = await world.start('coordinator', 'coordinator', env);
  const agent = await startAgent();
  const client = () => clientOf(coordinator);
  const slow = await SlowJobs.create(world, client, 'held');
  await slow.queue();
  const [id] = slow.ids as [number];
  await until('the task has begun', () => slow.begun(id) === 1);

  await Promise.all([agent.end(), coordinator.end()]);
  killProcessesOf(join(world.folder, 'agent'));
  const journal = join(world.folder, 'agent/agent/journal');
  const lines = readFileSync(journal, 'utf8').split('\n');
  t.ok(lines.some((line) => line.includes('"k":"launch:')));
  writeFileSync(journal, lines.filter((line) => !line.includes('"k":"launch:')).join('\n'));
  await setBoot(url);
  coordinator = await world.start('coordinator', 'coordinator', env);
  await startAgent();
  await until('it has begun again', () => slow.begun(id) === 2);
  slow.letGo();
  await until('it is done', async () => (await slow.all())[0]?.status === 'COMPLETED');
  const { results } = await client().get<{ results: ExecutionRecord[] }>(`/v6/jobs/${id}/executions/`);
  t.match(
    results.sort((one, other) => one.exe_num - other.exe_num),
    [
      { exe_num: 1, status: 'FAILED', error: { name: 'docker-terminated' } },
      { exe_num: 2, status: 'COMPLETED' },
    ],
  );
  t.equal(results.length, 2);
  t.equal(slow.begun(id), 2);
});

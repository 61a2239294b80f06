/**
 * A backup that is taken while files arrive and jobs run, restored into another database, while the disks of the hosts
 * are further on and their agent runs all the while: what docs/backup.md says.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { deliver } from '../../../src/cli/demo/demo-files.ts';
import { ID_GAP } from '../../../src/store/backup/restore.ts';
import { testDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { Program } from '../harness/program.ts';
import { filesBelow, listed, tasksOf } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { jobIs } from '../harness/work/job-types.ts';
import { SlowJobs } from '../harness/work/slow-jobs.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface Execution {
  readonly id: number;
  readonly status: string;
}

interface FileRecord {
  readonly id: number;
  readonly file_name: string;
  readonly file_path: string;
}

t.test('backup: a backup that was taken under load is restored elsewhere, and work continues', async (t) => {
  const world = await createWorld(t);
  const [first, second] = [await testDatabase(t), await testDatabase(t)];
  const grpc = `127.0.0.1:${await freePort()}`;
  const env = { MILLRACE_GRPC: grpc, MILLRACE_SECRET_KEY_FILE: join(world.folder, 'secret.key') };
  const coordinator = await world.start('coordinator', 'coordinator', { ...env, DATABASE_URL: first });
  const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  const before = clientOf(coordinator);
  const work = await DemoWork.create(world, before, 10);
  const slow = await SlowJobs.create(world, () => before, 'held', 'demo-archive');
  const command = async (name: 'backup' | 'restore', url: string) => {
    const file = join(world.folder, 'all.backup');
    const options = world.options('up', name, { ...env, DATABASE_URL: url });
    const program = Program.launch({ ...options, command: name as 'up', args: [file] });
    t.equal(await program.exited, 0, program.log);
    return program.output;
  };
  const paths = async () =>
    (await listed<FileRecord>(before, '/v6/files/')).map((file) => file.file_path).sort();

  await work.deliver(3);
  await work.finished(before);
  await slow.queue();
  const [running = 0] = slow.ids;
  await until('it runs', () => slow.begun(running) === 1);
  const recorded = await paths();
  const oldest = (await before.get<{ cursor: string }>('/v6/changes/?limit=1')).cursor;
  const delivering = work.deliver(3);
  await command('backup', first); // while files are ingested, and the job runs
  await delivering;

  // All of this may be forgotten: files that are ingested, a job that is queued, and that of before its end.
  await work.finished(before);
  slow.letGo();
  await jobIs(before, running, ['COMPLETED']);
  slow.hold();
  await slow.queue();
  const forgotten = slow.ids[1] ?? 0;
  await until('a job runs that will be unknown', () => slow.begun(forgotten) === 1);
  const contents = new Map(
    filesBelow(world.at.archive).map((path) => [path, readFileSync(join(world.at.archive, path), 'utf8')]),
  );
  await coordinator.end('SIGKILL');

  t.match(await command('restore', second), /Restored: [\s\S]*Not finished then: .*\d jobs? RUNNING/);
  const sessions = agent.log.split('session_opened').length;
  const client = clientOf(await world.start('coordinator', 'coordinator', { ...env, DATABASE_URL: second }));
  await until('the agent is back by itself', () => agent.log.split('session_opened').length > sessions);
  const known = new Set((await listed<FileRecord>(client, '/v6/files/')).map((file) => file.file_path));
  t.same(
    recorded.filter((path) => !known.has(path)),
    [],
    'what was recorded before the backup is recorded',
  );
  const gone = await fetch(new URL(`/v6/changes/?after=${encodeURIComponent(oldest)}`, client.base));
  t.equal(gone.status, 410, 'a cursor of the lost history');
  await until('the task that nobody knows is ended', async () => {
    const live = await listed<{ id: number }>(client, '/v6/jobs/?status=RUNNING&job_type_name=slow');
    return live.length > 0 || tasksOf(world).length === 0;
  });
  slow.letGo();
  await jobIs(client, running, ['COMPLETED'], 120_000);
  const executions = await listed<Execution>(client, `/v6/jobs/${running}/executions/`);
  t.equal(executions.filter((one) => one.status === 'COMPLETED').length, 1, 'what ran is done, and once');
  t.equal(executions.filter((one) => one.status === 'RUNNING').length, 0);
  await until('what was being ingested or done then is done', async () => {
    const live = await client.count(
      '/v6/jobs/?status=PENDING&status=QUEUED&status=RUNNING&job_type_name=demo-describe',
    );
    return live === 0 && (await client.count('/v6/recipes/?is_completed=false')) === 0;
  });

  const completed = await client.count('/v6/recipes/?is_completed=true');
  await work.deliver(2);
  await until('what is new goes its way', async () => {
    return (await client.count('/v6/recipes/?is_completed=true')) >= completed + 2;
  });
  for (const kind of ['files', 'recipes', 'jobs', 'ingests']) {
    const { results } = await client.get<{ results: { id: number }[] }>(`/v6/${kind}/?order=-id&page_size=1`);
    const [newest] = results;
    t.ok((newest?.id ?? 0) > ID_GAP, `${kind} have ids that the lost time cannot have had`);
    const shown =
      kind === 'ingests' ? undefined : await client.get<{ id: number }>(`/v6/${kind}/${newest?.id}/`);
    if (shown !== undefined) t.equal(shown.id, newest?.id);
  }
  const jobs = await listed<Execution>(client, '/v6/jobs/?job_type_name=demo-describe');
  const log = await fetch(new URL(`/v6/jobs/${jobs.at(-1)?.id}/executions/1/`, client.base));
  t.equal(log.status, 200);
  for (const [path, content] of contents) {
    const now = readFileSync(join(world.at.archive, path), 'utf8');
    if (now !== content) t.fail(`${path} was overwritten`);
  }
  // A file whose ingest may be forgotten arrives again: it is the one that is there.
  const again = work.files[5];
  const since = await client.count('/v6/ingests/');
  if (again !== undefined) await deliver(again, world.at.arrivals);
  await until('it is recorded', async () => {
    const live = await client.count('/v6/ingests/?status=TRANSFERRING&status=TRANSFERRED&status=INGESTING');
    return live === 0 && (await client.count('/v6/ingests/')) > since;
  });
  const sources = await listed<FileRecord>(client, '/v6/files/?file_type=SOURCE');
  const copies = sources.filter((file) => file.file_name === again?.name);
  t.equal(copies.length, 1, 'one record of it');
});

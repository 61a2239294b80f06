/**
 * The database set back to a moment, while the disks of the hosts are further on, and agents continue all the while:
 * what docs/operations.md says of a restore.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { deliver } from '../../../src/cli/demo/demo-files.ts';
import { freePort } from '../../support/services/free-port.ts';
import { filesBelow, listed, tasksOf } from '../harness/quiet.ts';
import { RestorableDatabase } from '../harness/restorable-database.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { jobIs } from '../harness/work/job-types.ts';
import { SlowJobs } from '../harness/work/slow-jobs.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface Execution {
  readonly status: string;
  readonly exe_num: number;
}

interface Status {
  readonly nodes: readonly { readonly warnings: readonly { readonly name: string }[] }[];
}

interface FileRecord {
  readonly file_name: string;
  readonly file_path: string;
  readonly file_type: string;
}

t.test(
  'restore to a point in time: records are kept, tasks continue, and nothing is overwritten',
  async (t) => {
    const world = await createWorld(t);
    const database = await RestorableDatabase.start(t, join(world.folder, 'database'));
    const grpc = `127.0.0.1:${await freePort()}`;
    const env = { DATABASE_URL: database.url, MILLRACE_GRPC: grpc };
    const coordinator = await world.start('coordinator', 'coordinator', env);
    const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
    const before = clientOf(coordinator);
    const work = await DemoWork.create(world, before, 8);
    await work.archiveWithoutDay(before);
    const slow = await SlowJobs.create(world, () => before, 'held', 'demo-archive');
    await work.deliver(2);
    await database.backUp(); // while files are ingested
    await work.deliver(2);
    await work.finished(before);
    await slow.queue();
    const [running = 0] = slow.ids;
    await until('it runs', () => slow.begun(running) === 1);
    const recorded = (await listed<FileRecord>(before, '/v6/files/')).map((file) => file.file_path).sort();

    const moment = await database.moment();
    // All of this is forgotten: files that are ingested, a job that is queued, and that of before its end.
    await work.deliver(2);
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
    await database.archived();
    await coordinator.end('SIGKILL');
    await database.restore(moment);

    const sessions = agent.log.split('session_opened').length;
    const client = clientOf(
      await world.start('coordinator', 'coordinator', { ...env, DATABASE_URL: database.url }),
    );
    await until('the agent is back by itself', () => agent.log.split('session_opened').length > sessions);
    const files = async () => (await listed<FileRecord>(client, '/v6/files/')).map((file) => file.file_path);
    const known = new Set(await files());
    t.same(
      recorded.filter((path) => !known.has(path)),
      [],
      'what was recorded until then is recorded',
    );
    t.equal(await client.count('/v6/ingests/?status=INGESTED'), 4);
    await until('the task that nobody knows is ended', async () => {
      const live = await listed<{ id: number }>(client, '/v6/jobs/?status=RUNNING&job_type_name=slow');
      return live.length > 0 || tasksOf(world).length === 0;
    });
    await until('the node tells of it', async () => {
      const { nodes } = await client.get<Status>('/v6/status/');
      return nodes.some(({ warnings }) => warnings.some(({ name }) => name === 'UNKNOWN_EXECUTIONS'));
    });
    const unrecorded = await client.get<{ results: readonly { file_path: string }[] }>(
      '/v6/workspaces/demo-archive/unrecorded/',
    );
    const recordedNow = new Set(await files());
    // The product of the job that runs again will be recorded.
    const isBeingMade = (path: string) => path.startsWith('jobs/slow/');
    t.same(
      unrecorded.results.map((file) => file.file_path),
      [...contents.keys()].filter((path) => !recordedNow.has(path) && !isBeingMade(path)).sort(),
      'the files without a record are told',
    );
    t.ok(unrecorded.results.length > 0);
    slow.letGo();
    await jobIs(client, running, ['COMPLETED'], 120_000);
    const executions = await listed<Execution>(client, `/v6/jobs/${running}/executions/`);
    t.equal(executions.filter((one) => one.status === 'COMPLETED').length, 1, 'what ran is done, and once');
    t.equal(executions.filter((one) => one.status === 'RUNNING').length, 0);

    // New work gets ids that the forgotten one had: it is done all the same.
    await work.deliver(2);
    await until(
      'what is new goes its way',
      async () => (await client.count('/v6/recipes/?is_completed=true')) >= 6,
    );
    for (const [path, content] of contents) {
      const now = readFileSync(join(world.at.archive, path), 'utf8');
      if (now !== content) t.fail(`${path} was overwritten`);
    }
    // A file whose ingest is forgotten arrives again: it is the one that is there.
    const again = work.files[4];
    if (again !== undefined) await deliver(again, world.at.arrivals);
    await until('it is recorded', async () => (await client.count('/v6/recipes/?is_completed=true')) >= 7);
    const copies = (await listed<FileRecord>(client, '/v6/files/?file_type=SOURCE')).filter(
      (file) => file.file_name === again?.name,
    );
    t.equal(copies.length, 1, 'one record of it');
    const onDisk = filesBelow(world.at.archive).filter(
      (path) => path.endsWith(`/${again?.name}`) || path === again?.name,
    );
    t.same(
      onDisk,
      copies.map((file) => file.file_path),
      'and one file',
    );
    const products = await client.count('/v6/files/?file_type=PRODUCT');
    t.equal(products, 2 * 7 + 1, 'two products a file, and that of the job');
  },
);

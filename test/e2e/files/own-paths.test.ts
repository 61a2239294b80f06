/**
 * Products at paths of their own, in a directory and in a bucket: nothing of anybody else is overwritten or removed,
 * and a job finds its own product again after whatever happened to it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { keysOf, testBucket } from '../../support/s3/bucket.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs } from '../../support/services/services.ts';
import type { Program } from '../harness/program.ts';
import { filesBelow, listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, jobOf, queueJob } from '../harness/work/job-types.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';

interface FileRecord {
  readonly id: number;
  readonly file_path: string;
  readonly file_type: string;
  readonly job: { readonly id: number } | null;
  readonly is_published: boolean;
}

interface Bed {
  readonly world: World;
  readonly client: InterfaceClient;
  readonly database: string;
  /** The directory of the workspace `out`. */
  readonly folder: string;
  agent: Program;
  startAgent(name?: string): Promise<Program>;
}

async function startBed(t: Test, env: Readonly<Record<string, string>> = {}): Promise<Bed> {
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const database = await migratedDatabase(t);
  const set = { DATABASE_URL: database, MILLRACE_GRPC: grpc, ...env };
  const coordinator = await world.start('coordinator', 'coordinator', set);
  const startAgent = (name = 'agent') => world.start('agent', name, { MILLRACE_COORDINATORS: grpc });
  const client = clientOf(coordinator);
  const folder = join(world.folder, 'out');
  mkdirSync(folder);
  return { world, client, database, folder, agent: await startAgent(), startAgent };
}

async function hostWorkspace({ client, folder }: Bed): Promise<void> {
  const broker = { type: 'host', host_path: folder };
  await client.post('/v6/workspaces/', { title: 'Out', configuration: { broker } });
}

const one = (name: string) => ({ name, pattern: name, required: true });

/** A type whose jobs write each of these files, with the id of the job as content. */
function writing(client: InterfaceClient, files: readonly string[], more: object = {}): Promise<number> {
  return createJobType(client, {
    name: 'writes',
    script: files
      .map((name) => `mkdir -p $OUTPUT_DIR/$(dirname ${name}); echo of $MILLRACE_JOB_ID >$OUTPUT_DIR/${name}`)
      .join('; '),
    outputs: files.map((pattern, index) => ({ ...one(`OUT${index}`), pattern })),
    workspace: 'out',
    productPath: 'own',
    ...more,
  });
}

/** Resolves when the job has ended again. */
async function requeue(client: InterfaceClient, id: number): Promise<void> {
  const { num_exes: before } = await jobOf(client, id);
  await client.post('/v6/jobs/requeue/', { job_ids: [id] });
  await until('it has run again', async () => {
    const { num_exes: now, status } = await jobOf(client, id);
    return now > before && ['COMPLETED', 'FAILED'].includes(status);
  });
}

async function failure(client: InterfaceClient, id: number): Promise<string | undefined> {
  return (await jobIs(client, id, ['COMPLETED', 'FAILED'])).error?.name;
}

t.test('own paths: in a directory, a path in use fails the job, and its file is kept', async (t) => {
  const bed = await startBed(t);
  const { client, folder } = bed;
  await hostWorkspace(bed);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const typeId = await writing(client, ['out.txt', 'sub/more.txt'], { isPublished: false });

  writeFileSync(join(folder, 'out.txt'), 'foreign');
  const first = await queueJob(client, typeId);
  t.equal(await failure(client, first), 'product-path-taken');
  t.equal(read('out.txt'), 'foreign');
  t.strictSame(
    filesBelow(folder).filter((path) => !path.includes('.millrace')),
    ['out.txt'],
    'nothing else was stored',
  );
  const why = await client.get<{ causes: readonly { name: string; reason: string }[] }>(
    `/v6/jobs/${first}/why/`,
  );
  t.match(why.causes[0], { name: 'failed', reason: /out\.txt' in the workspace out: there is a file/ });

  rmSync(join(folder, 'out.txt'));
  await requeue(client, first);
  t.equal(await failure(client, first), undefined);
  t.equal(read('out.txt'), `of ${first}\n`);
  t.equal(read('sub/more.txt'), `of ${first}\n`);
  const files = await listed<FileRecord>(client, '/v6/files/');
  t.strictSame(files.map(({ file_path: path }) => path).sort(), ['out.txt', 'sub/more.txt']);
  t.ok(
    files.every(({ is_published: isPublished }) => !isPublished),
    'published as their type is',
  );
  const content = await fetch(new URL('/v6/workspaces/out/files/out.txt', client.base));
  t.equal(await content.text(), `of ${first}\n`);

  const second = await queueJob(client, typeId);
  t.equal(await failure(client, second), 'product-path-taken');
  await requeue(client, second);
  t.equal(await failure(client, second), 'product-path-taken');
  t.equal(read('out.txt'), `of ${first}\n`, 'the product of another job');
  t.equal(await client.count('/v6/files/'), 2);
});

t.test('own paths: two outputs of one job with one path fail the job', async (t) => {
  const bed = await startBed(t);
  const { client, folder } = bed;
  await hostWorkspace(bed);
  const outputs = [one('A'), one('B')].map((output) => ({ ...output, pattern: 'out.txt' }));
  const job = await queueJob(client, await writing(client, ['out.txt'], { outputs }));
  t.equal(await failure(client, job), 'product-path-taken');
  t.notOk(readdirSync(folder).includes('out.txt'));
});

/** Blocks the reservation of a path in the database until the result is called. */
async function blockPath(t: Test, { database }: Bed, path: string): Promise<() => Promise<void>> {
  const blocker = new pg.Client({ connectionString: database });
  await blocker.connect();
  t.teardown(() => blocker.end());
  await blocker.query('begin');
  await blocker.query(
    `insert into reserved_path (workspace_id, file_path, job_id, job_exe_id, proof, file_size, sha256, reserved)
     select id, $1, 0, 0, 'x', 0, '', now() from workspace where name = 'out'`,
    [path],
  );
  return async () => void (await blocker.query('rollback'));
}

t.test('own paths: an agent killed after a product got its path finds it again', async (t) => {
  const bed = await startBed(t);
  const { client, folder } = bed;
  await hostWorkspace(bed);
  const typeId = await writing(client, ['first.txt', 'second.txt']);
  const unblock = await blockPath(t, bed, 'second.txt');
  const id = await queueJob(client, typeId);
  await until('one product is stored', () => readdirSync(folder).includes('first.txt'));
  await bed.agent.end('SIGKILL');
  const { ino } = statSync(join(folder, 'first.txt'));
  await unblock();
  bed.agent = await bed.startAgent();
  const job = await jobIs(client, id, ['COMPLETED', 'FAILED']);
  t.match(job, { status: 'COMPLETED', num_exes: 1 });
  t.equal(statSync(join(folder, 'first.txt')).ino, ino, 'the same file');
  t.equal(await client.count('/v6/files/'), 2);
});

t.test('own paths: the files of a job that was canceled while its agent was dead are removed', async (t) => {
  const bed = await startBed(t);
  const { client, folder } = bed;
  await hostWorkspace(bed);
  const typeId = await writing(client, ['first.txt', 'second.txt']);
  const unblock = await blockPath(t, bed, 'second.txt');
  const id = await queueJob(client, typeId);
  await until('one product is stored', () => readdirSync(folder).includes('first.txt'));
  await bed.agent.end('SIGKILL');
  await unblock();
  await client.post('/v6/jobs/cancel/', { job_ids: [id] });
  bed.agent = await bed.startAgent();
  await jobIs(client, id, ['CANCELED']);
  await until('it is removed', () => !readdirSync(folder).includes('first.txt'));
  const next = await queueJob(client, typeId);
  t.equal(await failure(client, next), undefined, 'the paths are free');
});

t.test('own paths: another attempt replaces the files of a lost one', async (t) => {
  const bed = await startBed(t, { MILLRACE_NODE_LOST_MS: '5000' });
  const { client, folder } = bed;
  await hostWorkspace(bed);
  const typeId = await writing(client, ['first.txt', 'second.txt'], { maxTries: 5 });
  const unblock = await blockPath(t, bed, 'second.txt');
  const id = await queueJob(client, typeId);
  await until('one product is stored', () => readdirSync(folder).includes('first.txt'));
  await bed.agent.end('SIGKILL');
  const { ino } = statSync(join(folder, 'first.txt'));
  await unblock();
  // The same host with an empty data folder: the task is gone.
  bed.agent = await bed.startAgent('another');
  const job = await jobIs(client, id, ['COMPLETED', 'FAILED']);
  t.equal(job.status, 'COMPLETED');
  t.ok(job.num_exes > 1, 'the first attempt was lost');
  t.not(statSync(join(folder, 'first.txt')).ino, ino, 'another file');
  t.equal(readFileSync(join(folder, 'first.txt'), 'utf8'), `of ${id}\n`);
  t.equal(await client.count('/v6/files/'), 2);
});

t.test('own paths: the rules of paths hold in a bucket as well', needs('s3'), async (t) => {
  const bucket = await testBucket(t);
  const bed = await startBed(t);
  const { client } = bed;
  const { name, endpoint, credentials } = bucket;
  const broker = { type: 'objstore', bucket_name: name, endpoint, credentials };
  await client.post('/v6/workspaces/', { title: 'Out', configuration: { broker } });
  const typeId = await writing(client, ['first.txt', 'second.txt']);
  const keys = async () => (await keysOf(bucket.client, name)).filter((key) => !key.startsWith('.'));
  const read = async (key: string) => {
    let text = '';
    for await (const piece of await bucket.client.getObject(name, key)) text += piece;
    return text;
  };

  await bucket.client.putObject(name, 'second.txt', 'foreign');
  const foreign = await queueJob(client, typeId);
  t.equal(await failure(client, foreign), 'product-path-taken');
  t.strictSame(await keys(), ['second.txt'], 'what was stored before is removed');
  t.equal(await read('second.txt'), 'foreign');
  await bucket.client.removeObject(name, 'second.txt');

  const unblock = await blockPath(t, bed, 'second.txt');
  const id = await queueJob(client, typeId);
  await until('one product is stored', async () => (await keys()).includes('first.txt'));
  await bed.agent.end('SIGKILL');
  await unblock();
  bed.agent = await bed.startAgent();
  t.match(await jobIs(client, id, ['COMPLETED', 'FAILED']), { status: 'COMPLETED', num_exes: 1 });
  t.equal(await read('first.txt'), `of ${id}\n`);
  t.strictSame(await keys(), ['first.txt', 'second.txt']);
  t.equal(await client.count('/v6/files/'), 2);

  const other = await queueJob(client, typeId);
  t.equal(await failure(client, other), 'product-path-taken');
  t.equal(await read('first.txt'), `of ${id}\n`);
});

/** A scan that is asked for again while something of it is under way. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface Scan {
  readonly id: number;
  readonly waiting: readonly string[];
  readonly reason: string | null;
  readonly file_count: number | null;
  readonly job: { readonly id: number; readonly status: string };
  readonly dry_run_job: { readonly id: number; readonly status: string };
}

t.test('runs of a scan wait for one another, through restarts too, and a cancel drops them', async (t) => {
  const world = await createWorld(t);
  const env = { DATABASE_URL: await migratedDatabase(t) };
  const program = await world.start('up', 'up', env);
  let client = clientOf(program);
  // Nothing reaches it until the directory is made: so long runs are under way.
  const path = join(world.folder, 'later');
  const broker = { type: 'host', host_path: path };
  await client.post('/v6/workspaces/', { title: 'later', configuration: { broker } });
  const { id } = await client.post<Scan>('/v6/scans/', {
    title: 'Later',
    configuration: {
      ...{ workspace: 'later', scanner: { type: 'dir' } },
      files_to_ingest: [{ filename_regex: '.*' }],
    },
  });
  const scan = () => client.get<Scan>(`/v6/scans/${id}/`);
  const process = (ingest: boolean) => client.post<Scan>(`/v6/scans/${id}/process/`, { ingest });

  t.match(await process(false), { waiting: [], dry_run_job: { status: 'QUEUED' } });
  await until('the dry run waits for a node', async () => /no node/.test((await scan()).reason ?? ''));
  t.strictSame((await process(true)).waiting, ['ingest']);
  t.strictSame((await process(true)).waiting, ['ingest'], 'an equal request joins it');
  t.strictSame((await process(false)).waiting, ['ingest', 'dry_run']);
  t.strictSame((await process(false)).waiting, ['ingest', 'dry_run']);
  const old = await fetch(new URL(`/api/v6/scans/${id}/process/?ingest=true`, program.url), {
    method: 'POST',
  });
  t.equal(old.status, 201);
  t.match(await old.json(), { job: { status: 'QUEUED' }, waiting: ['ingest', 'dry_run'] });

  await client.post(`/v6/scans/cancel/${id}/`, {});
  t.match(await scan(), { job: { status: 'PENDING' }, dry_run_job: { status: 'CANCELED' } });
  t.strictSame((await scan()).waiting, []);

  await process(true);
  await process(false);
  await process(true);
  t.strictSame((await scan()).waiting, ['dry_run', 'ingest']);
  await program.end();
  client = clientOf(await world.start('up', 'up', env));
  t.strictSame((await scan()).waiting, ['dry_run', 'ingest'], 'what was answered is not forgotten');

  mkdirSync(path);
  for (const name of ['a', 'b']) writeFileSync(join(path, name), name);
  const done = await until(
    'all runs are done',
    async () => {
      const now = await scan();
      const { waiting, job, dry_run_job } = now;
      const isDone = job.status === 'COMPLETED' && dry_run_job.status === 'COMPLETED';
      return waiting.length === 0 && isDone && now;
    },
    120_000,
  );
  t.equal(done.file_count, 2);
  const tries = async (jobId: number) =>
    (await client.get<{ num_exes: number }>(`/v6/jobs/${jobId}/`)).num_exes;
  t.equal(await tries(done.job.id), 2, 'the ingest that was under way, and the one that waited');
  t.equal(await tries(done.dry_run_job.id), 2, 'the canceled dry run, and the one that waited');
  const ingested = () => client.count(`/v6/ingests/?scan_id=${id}&status=INGESTED`);
  await until('both files are ingested', async () => (await ingested()) === 2, 60_000);
  t.equal(await client.count(`/v6/ingests/?scan_id=${id}`), 2, 'each once');
});

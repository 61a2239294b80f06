/**
 * Requests that name job types reach what was promised before them and is not made yet, and hold what is sent after
 * them: recipes of diagnostics, and runs of a scan.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openDatabase } from '../../../src/store/database.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { silentLog } from '../../support/silent-log.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const BEFORE = 4_000;
const AFTER = 300;
/** With its pauses of 5 ms after each 200, these take longer than any call waits for earlier requests. */
const ENDLESS = 1_000_000;

t.test('a cancel by job type cancels the diagnostics requested before it, and no others', async (t) => {
  const world = await createWorld(t);
  const url = await migratedDatabase(t);
  const start = () => world.start('coordinator', 'coordinator', { DATABASE_URL: url });
  let coordinator = await start();
  // No agent is there: what is queued stays so.
  const hello = (num: number) => clientOf(coordinator).post('/v6/diagnostics/job/hello/', { num });
  await hello(BEFORE);
  const only = { job_type_names: ['millrace-hello'] };
  await clientOf(coordinator).post('/v6/jobs/cancel/', only);
  await hello(AFTER);
  await coordinator.end('SIGKILL');
  coordinator = await start();

  const database = await openDatabase({ url, log: silentLog });
  t.teardown(() => database.close());
  const isNone = async (text: string) => (await database.sql.execute(text)).length === 0;
  await until(
    'everything is made',
    () => isNone('select from diagnostic_run where made_count < total'),
    60_000,
  );
  await until('the request is done', () => isNone('select from job_request where not is_done'), 60_000);
  const count = (status: string) =>
    clientOf(coordinator).count(`/v6/jobs/?job_type_name=millrace-hello&status=${status}`);
  t.equal(await count('CANCELED'), BEFORE);
  t.equal(await count('QUEUED'), AFTER, 'what was asked for after its answer stays');

  await hello(BEFORE);
  await clientOf(coordinator).post('/v6/jobs/cancel/', only);
  await clientOf(coordinator).post('/v6/jobs/requeue/', { ...only, status: 'CANCELED' });
  await until('both requests are done', () => isNone('select from job_request where not is_done'), 60_000);
  t.equal(await count('QUEUED'), BEFORE + AFTER + BEFORE, 'the last one decides');
});

t.test('a scan waits for requests that name the job type of its ingests', async (t) => {
  const world = await createWorld(t);
  const grpc = `127.0.0.1:${await freePort()}`;
  const env = { DATABASE_URL: await migratedDatabase(t), MILLRACE_GRPC: grpc };
  const client = clientOf(await world.start('coordinator', 'coordinator', env));
  const agent = await world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc });
  const scanned = join(world.folder, 'scanned');
  mkdirSync(scanned);
  writeFileSync(join(scanned, 'one.txt'), 'one');
  const broker = { type: 'host', host_path: scanned };
  await client.post('/v6/workspaces/', { title: 'scanned', configuration: { broker } });
  const configuration = {
    workspace: 'scanned',
    scanner: { type: 'dir' },
    files_to_ingest: [{ filename_regex: '.*txt' }],
  };
  const { id } = await client.post<{ id: number }>('/v6/scans/', { title: 'One', configuration });
  await client.post(`/v6/scans/${id}/process/`, { ingest: true });
  const isIngested = async () => (await client.count(`/v6/ingests/?scan_id=${id}&status=INGESTED`)) === 1;
  await until('the file is ingested', isIngested);
  const isOver = async () => {
    return (await client.get<{ job: { status: string } }>(`/v6/scans/${id}/`)).job.status === 'COMPLETED';
  };
  await until('the scan is over', isOver);
  await agent.end('SIGKILL');

  // This request is open until all of the diagnostics are made.
  await client.post('/v6/diagnostics/job/hello/', { num: ENDLESS });
  await client.post('/v6/jobs/cancel/', { job_type_names: ['millrace-hello', 'millrace-ingest'] });
  const late = /503 .*EARLIER_REQUESTS/;
  await Promise.all([
    t.rejects(client.post(`/v6/scans/${id}/process/`, { ingest: true }), { message: late }),
    t.rejects(client.post(`/v6/scans/cancel/${id}/`, {}), { message: late }),
  ]);
});

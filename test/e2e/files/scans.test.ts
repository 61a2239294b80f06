import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { seeded } from '../harness/work/seeded.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';

interface Scan {
  readonly id: number;
  readonly file_count: number | null;
  readonly counts: { readonly matched: number; readonly unmatched: number; readonly by_rule: number[] };
  readonly job: { readonly id: number; readonly status: string };
  readonly dry_run_job: { readonly status: string };
}
interface Ingest {
  readonly file_path: string;
  readonly status: string;
  readonly scan: { readonly id: number };
}

const DIRECTORIES = 200;
const FILES = 5_000;

/** The same names in each directory; a tenth of the files is none of the scan's business. */
function fill(world: World): string[] {
  const paths: string[] = [];
  const root = join(world.folder, 'scanned');
  for (let n = 0; n < DIRECTORIES; n++) {
    const directory = join('area', `d${n % 10}`, `s${n}`);
    mkdirSync(join(root, directory), { recursive: true });
    for (let at = 0; at < FILES / DIRECTORIES; at++) {
      const path = join(directory, `f${at}.${at % 5 === 0 ? 'csv' : 'txt'}`);
      writeFileSync(join(root, path), path);
      paths.push(path);
    }
    writeFileSync(join(root, directory, 'notes.log'), 'no rule takes it');
    writeFileSync(join(root, directory, 'half.txt_tmp'), 'still on its way');
    writeFileSync(join(root, directory, '.hidden.txt'), 'hidden');
  }
  return paths.sort();
}

async function createScan(client: InterfaceClient, world: World): Promise<number> {
  const broker = { type: 'host', host_path: join(world.folder, 'scanned') };
  await client.post('/v6/workspaces/', { title: 'scanned', configuration: { broker } });
  const configuration = {
    workspace: 'scanned',
    scanner: { type: 'dir', transfer_suffix: '_tmp' },
    files_to_ingest: [{ filename_regex: '.*csv', data_types: ['table'] }, { filename_regex: '.*txt' }],
  };
  return (await client.post<Scan>('/v6/scans/', { title: 'Everything', configuration })).id;
}

t.test(
  'a scan counts and ingests each of 5,000 files once while agent and coordinator are killed',
  async (t) => {
    const world = await createWorld(t);
    const paths = fill(world);
    const grpc = `127.0.0.1:${await freePort()}`;
    const env = {
      DATABASE_URL: await migratedDatabase(t),
      MILLRACE_GRPC: grpc,
      MILLRACE_HTTP: `127.0.0.1:${await freePort()}`,
    };
    const start = {
      coordinator: () => world.start('coordinator', 'coordinator', env),
      agent: () => world.start('agent', 'agent', { MILLRACE_COORDINATORS: grpc }),
    };
    const programs = { coordinator: await start.coordinator(), agent: await start.agent() };
    const client = clientOf(programs.coordinator);
    const scanId = await createScan(client, world);
    const scan = () => client.get<Scan>(`/v6/scans/${scanId}/`);
    t.match(await scan(), {
      file_count: null,
      job: { status: 'PENDING' },
      dry_run_job: { status: 'PENDING' },
    });

    await client.post(`/v6/scans/${scanId}/process/`, {});
    const dry = await until('the dry run is done', async () => {
      const now = await scan();
      return now.dry_run_job.status === 'COMPLETED' && now;
    });
    const counts = { matched: FILES, unmatched: DIRECTORIES, by_rule: [FILES / 5, (FILES * 4) / 5] };
    t.match(dry, { file_count: FILES, counts: { mode: 'dry_run', ...counts } });
    t.equal(await client.count('/v6/ingests/'), 0, 'a dry run makes no ingest');

    const random = seeded(t);
    await client.post(`/v6/scans/${scanId}/process/`, { ingest: true });
    const kinds = ['agent', 'coordinator', 'agent', 'coordinator'] as const;
    for (const kind of kinds) {
      await new Promise((wake) => setTimeout(wake, random.between(30, 900)));
      await programs[kind].end();
      programs[kind] = await start[kind]();
    }
    const done = () => client.count(`/v6/ingests/?scan_id=${scanId}&status=INGESTED`).catch(() => 0);
    await until('all files are ingested', async () => (await done()) >= FILES, 120_000);
    await until('the scan’s job is done', async () => (await scan()).job.status === 'COMPLETED', 60_000);
    t.match(await scan(), { file_count: FILES, counts: { mode: 'ingest', ...counts } });
    const ingests = await listed<Ingest>(client, '/v6/ingests/');
    t.strictSame(ingests.map((one) => one.file_path).sort(), paths, 'each file is one ingest');
    t.strictSame(
      new Set(ingests.map((one) => `${one.status} ${one.scan.id}`)),
      new Set([`INGESTED ${scanId}`]),
    );
    t.equal(await client.count('/v6/files/?file_type=SOURCE'), FILES);
    t.equal(await client.count('/v6/jobs/?job_type_name=millrace-ingest&status=COMPLETED'), FILES);

    writeFileSync(join(world.folder, 'scanned', 'new.txt'), 'a new one');
    await client.post(`/v6/scans/${scanId}/process/`, { ingest: true });
    await until('the new file is ingested', async () => (await done()) > FILES);
    await until('the scan’s job is done again', async () => (await scan()).job.status === 'COMPLETED');
    t.match(await scan(), { file_count: FILES + 1 });
    t.equal(await client.count('/v6/ingests/'), FILES + 1, 'nothing is ingested twice');
  },
);

/** A running service with real data in a real database, which the test may look into. */
import type { Test } from 'tap';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';
import { type Facts, factsOf } from './samples.ts';

export interface Installation {
  readonly world: World;
  readonly facts: Facts;
  readonly database: Database;
  program: Program;
  /** Starts it again, on another port. */
  restart(): Promise<void>;
  /** Lines that the service logged, as objects, of all its runs. */
  logged(): readonly { readonly level: string; readonly event: string }[];
}

const FILES = 6;

/** The demo's types, strike and files, all of them worked off, and a scan. */
export async function installation(t: Test): Promise<Installation> {
  const world = await createWorld(t);
  const url = await migratedDatabase(t);
  const env = {
    ...{ DATABASE_URL: url, MILLRACE_LOG_LEVEL: 'info' },
    // Makes an account, and lets everybody in all the same.
    MILLRACE_ADMIN_PASSWORD: 'for hostile callers',
  };
  const program = await world.start('up', 'up', env);
  const database = await openDatabase({ url, log: silentLog });
  t.teardown(() => database.close());
  const work = await DemoWork.create(world, clientOf(program), FILES);
  await work.deliver(FILES);
  await work.finished(clientOf(program));
  await createBatch(clientOf(program));
  const rules = { files_to_ingest: [{ filename_regex: '.*' }] };
  const configuration = { workspace: 'demo-arrivals', scanner: { type: 'dir' }, ...rules };
  await clientOf(program).post('/v6/scans/', { title: 'Everything', configuration });
  const made: Installation = {
    ...{ world, database, program, facts: await factsOf(clientOf(program)) },
    async restart() {
      await made.program.end();
      made.program = await world.start('up', 'up', env);
    },
    logged: () => linesOf(made.program.log),
  };
  return made;
}

/** A dataset of one file, and a batch over it, worked off. */
async function createBatch(client: InterfaceClient): Promise<void> {
  const first = async (path: string): Promise<number> => {
    const { results } = await client.get<{ results: { id: number }[] }>(path);
    return results[0]?.id ?? 0;
  };
  const parameters = { files: [{ name: 'FILE' }], json: [] };
  const data = { files: { FILE: [await first('/v6/files/?file_type=SOURCE')] }, json: {} };
  const dataset = await client.post<{ id: number }>('/v6/datasets/', { definition: { parameters }, data });
  const { id } = await client.post<{ id: number }>('/v6/batches/', {
    recipe_type_id: await first('/v6/recipe-types/?keyword=demo'),
    definition: { dataset: dataset.id, supersedes: false },
  });
  const isDone = async () => {
    const batch = await client.get<{ is_creation_done: boolean; recipes_completed: number }>(
      `/v6/batches/${id}/`,
    );
    return batch.is_creation_done && batch.recipes_completed === 1;
  };
  await until('the batch is complete', isDone);
}

function linesOf(log: string): { level: string; event: string }[] {
  const lines = log.split('\n').filter((line) => line.startsWith('{'));
  // The last line of a program that was killed may be half a line.
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line));
}

/** What the service writes by itself: who lives, who asked for what, and statistics. */
const OWN_ACCORD = new RegExp(
  '^(audit|change_tick|object_change(_.+)?|coordinator|shard_lease|batch_count|list_(day_)?count|hour_total|' +
    'job_outcome|(activity|daily|load|hourly)_.+|.+_delta)$',
);
/** What a refused write must leave alone. */
const CONTENTS = [
  'account',
  'access_token',
  'dataset',
  'workspace',
  'strike',
  'scan',
  'job_type',
  'job_type_rev',
  'recipe_type',
  'recipe_type_rev',
  'error',
];

/** The number of rows of every table, and a digest of those whose rows nobody else changes meanwhile. */
export async function contentOf(database: Database): Promise<Record<string, number>> {
  const { sql } = database;
  const tables = await sql.execute<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    [],
  );
  // One statement: tables are many, and most are empty.
  const parts = tables
    .filter(({ name }) => !OWN_ACCORD.test(name))
    .map(({ name }) => {
      const digest = CONTENTS.includes(name) ? 'coalesce(sum(hashtext(r::text)), 0)' : 'null::bigint';
      return `select '${name}' as name, count(*) as count, ${digest} as digest from "${name}" r`;
    });
  const rows = await sql.execute<{ name: string; count: number; digest: number | null }>(
    parts.join(' union all '),
    [],
  );
  return Object.fromEntries(
    rows.flatMap(({ name, count, digest }) =>
      digest === null
        ? [[name, count]]
        : [
            [name, count],
            [`${name} content`, digest],
          ],
    ),
  );
}

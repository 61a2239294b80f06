/** Rows in every table that lists read and that grows with history, for what is said of their plans and their times. */
import type { StoreWorld } from '../store/store-world.ts';

export const GROWING = [
  'file',
  'file_ancestry',
  'job',
  'job_exe',
  'recipe',
  'ingest',
  'event',
  'job_input_file',
  'recipe_input_file',
  'recipe_node',
  'audit',
];

/** One row in a thousand differs from the others in each column; instants go back an hour a row. */
function rowsOf(rows: number, table: string, columns: Readonly<Record<string, string>>): string {
  const all = { created: 'at', last_modified: 'at', ...columns };
  return `insert into ${table} (${Object.keys(all).join(', ')})
    select ${Object.values(all).join(', ')} from generate_series(1, ${rows}) i
    cross join lateral (select now() - i * interval '1 hour' as at, i % 1000 = 0 as is_rare) x`;
}

const rare = (value: string, other: string) => `case when is_rare then ${value} else ${other} end`;
const SOURCE = Object.fromEntries([
  ...['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'].map((name) => [
    name,
    rare(`'few'`, `'sensor ' || i % 7`),
  ]),
  ...['source_started', 'source_ended'].map((name) => [name, 'at']),
]);

/** So many rows in each table that grows, in a world that has none. */
export async function fillLists(world: StoreWorld, rows: number): Promise<void> {
  const { ids } = world;
  const event = 'i';
  await world.rows(`insert into event (id, type, occurred) select i, 'USER', now() from generate_series(1, ${rows}) i
    on conflict do nothing`);
  const of = (table: string, columns: Readonly<Record<string, string>>) => rowsOf(rows, table, columns);
  const statements = [
    of('recipe', {
      ...{
        shard: '1',
        root_id: 'i',
        parent_id: 'null',
        recipe_type_id: `${ids.recipeType}`,
        event_id: event,
      },
      ...{ recipe_type_rev_id: `${ids.recipeRev}`, batch_id: rare('42', 'null'), chain_id: 'i' },
      ...{ is_superseded: 'is_rare', is_completed: 'not is_rare', ...SOURCE },
    }),
    of('job', {
      ...{
        shard: '1',
        owner_kind: `'job'`,
        owner_key: 'i',
        job_type_id: rare(`${ids.type2}`, `${ids.type}`),
      },
      ...{ job_type_rev_id: `${ids.rev}`, event_id: event, recipe_id: 'i', batch_id: rare('42', 'null') },
      ...{ status: rare(`'FAILED'`, `'COMPLETED'`), max_tries: '3', priority: '1', last_status_change: 'at' },
      ...{ error_id: rare(`(select min(id) from error where category = 'DATA')`, 'null'), num_exes: '1' },
      ...{ is_superseded: 'is_rare', ...SOURCE },
    }),
    of('job_exe', {
      ...{ job_id: 'i', exe_num: '1', job_type_id: `${ids.type}`, node_id: `${ids.node}`, started: 'at' },
      ...{ status: `'COMPLETED'`, queued: 'at', ended: 'at' },
    }),
    of('file', {
      ...{ uuid: 'gen_random_uuid()', file_type: rare(`'SOURCE'`, `'PRODUCT'`), file_path: `'p/' || i` },
      ...{ file_name: rare(`'few'`, `'name ' || i`), media_type: rare(`'few/few'`, `'text/plain'`) },
      ...{ file_size: 'i', workspace_id: `${ids.in}`, data_started: 'at', data_ended: 'at' },
      ...{ countries: rare(`'{FEW}'::text[]`, `'{FRA}'::text[]`), job_output: rare(`'few'`, `'OUT'`) },
      ...{ job_id: 'null', job_type_id: rare(`${ids.type2}`, `${ids.type}`), recipe_id: 'i' },
      ...{ recipe_node: rare(`'few'`, `'node'`), recipe_type_id: `${ids.recipeType}` },
      ...{ batch_id: rare('42', 'null'), ...SOURCE },
    }),
    of('ingest', {
      ...{ file_name: rare(`'few'`, `'name ' || i`), status: rare(`'ERRORED'`, `'INGESTED'`) },
      ...{
        workspace_id: `${ids.in}`,
        file_path: `'p/' || i`,
        media_type: `'text/plain'`,
        scan_id: 'null',
      },
      ...{ data_started: 'at', ingest_ended: 'at' },
    }),
  ];
  for (const statement of statements) await world.rows(statement);
  await world.rows(`insert into audit (at, username, known_by, address, request_id, method, route, path, status)
    select now() - i * interval '1 hour', case when i % 1000 = 0 then 'few' else 'user ' || i % 7 end, 'token',
      '::1', i, case when i % 1000 = 0 then 'DELETE' else 'POST' end,
      case when i % 1000 = 0 then 'few' else '/v6/' || i % 7 end, '/v6/', 200 from generate_series(1, ${rows}) i`);
  await world.rows(`insert into file_ancestry (descendant_id, ancestor_id, is_direct, job_id, job_exe_id)
    select id + 1, id, true, 1, 1 from file where id % 2 = 0 and id < (select max(id) from file)`);
  await world.rows(`insert into recipe_node (recipe_id, name, job_id) select id, 'node', id from job`);
  for (const owner of ['job', 'recipe']) {
    await world.rows(`insert into ${owner}_input_file (${owner}_id, input, file_id)
      select ${owner}.id, 'IN', file.id from ${owner} join file on file.id = ${owner}.id`);
  }
  await world.rows(`insert into recipe_node (recipe_id, name, job_id) select id, 'A', id from job`);
  await world.rows(`vacuum analyze ${GROWING.join(', ')}`);
}

/** Rows in every table that lists read and that grows with history, for tests of their query plans and their times. */
import type { StoreWorld } from '../../../store/store-world.ts';

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
] as const;

interface Rows {
  readonly rows: number;
  /** How many of them, the last, are not finished. */
  readonly live?: number;
  readonly apart?: string;
}

/**
 * In each column one finished row in a thousand differs from the others. Instants are `apart`, and the last is now, so
 * that the order of rows is that of most indexes.
 */
function rowsOf(
  table: string,
  columns: Readonly<Record<string, string>>,
  { rows, live = 0, apart = '1 hour' }: Rows,
): string {
  const isLive = `i > ${rows - live}`;
  const all = { id: 'i', created: 'at', last_modified: 'at', ...columns };
  return `insert into ${table} (${Object.keys(all).join(', ')})
    select ${Object.values(all).join(', ')} from generate_series(1, ${rows}) i
    cross join (select setval('${table}_id_seq', ${rows})) sequence
    cross join lateral (select now() - (${rows} - i) * interval '${apart}' as at, ${isLive} as is_live,
      i % 1000 = 0 and not ${isLive} as is_rare) x`;
}

const live = (value: string, finished: string) => `case when is_live then ${value} else ${finished} end`;
const rare = (value: string, other: string) => `case when is_rare then ${value} else ${other} end`;
/** One batch has few of the finished rows, another has half of them, and a third has all live ones. */
const BATCH = 'case when is_live then 44 when is_rare then 42 when i % 2 = 1 then 43 end';
/** One row in ten has an origin of its data. */
const SOURCE = Object.fromEntries([
  ...['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'].map((name) => [
    name,
    `case when is_rare then 'few' when i % 10 = 1 then 'sensor ' || i % 7 end`,
  ]),
  ...['source_started', 'source_ended'].map((name) => [name, 'case when is_rare or i % 10 = 1 then at end']),
]);

/** The rows of one table: `insert into table …`. */
export interface TableRows {
  readonly table: (typeof GROWING)[number];
  readonly insert: string;
}

/**
 * Statements that insert a number of rows into the tables of the lists of jobs, files, recipes and ingests, in an order
 * that foreign keys allow. `perRecipe` jobs share a recipe, its event and an input file, and are its nodes `node`,
 * `node 1`, …; ids count from 1. The last `live` jobs, recipes and ingests are not finished.
 */
export function listRows(
  { ids }: StoreWorld,
  rows: number,
  { perRecipe = 1, ...options }: Omit<Rows, 'rows'> & { readonly perRecipe?: number } = {},
): readonly TableRows[] {
  const group = perRecipe === 1 ? 'i' : `(i + ${perRecipe - 1}) / ${perRecipe}`;
  const rowsFor = (table: TableRows['table'], columns: Readonly<Record<string, string>>): TableRows => ({
    table,
    insert: rowsOf(table, columns, { ...options, rows }),
  });
  const event = `insert into event (id, type, occurred) select i, 'USER', now() from generate_series(1, ${rows}) i
    on conflict do nothing`;
  return [
    { table: 'event', insert: event },
    rowsFor('recipe', {
      ...{ shard: '1', root_id: 'i', parent_id: 'null', recipe_type_id: `${ids.recipeType}`, event_id: 'i' },
      ...{ recipe_type_rev_id: `${ids.recipeRev}`, batch_id: BATCH, chain_id: 'i' },
      ...{ is_superseded: 'is_rare', is_completed: 'not is_rare and not is_live' },
      ...{ jobs_pending: live('1', '0'), ...SOURCE },
    }),
    rowsFor('job', {
      ...{
        shard: '1',
        owner_kind: `'job'`,
        owner_key: 'i',
        job_type_id: rare(`${ids.type2}`, `${ids.type}`),
      },
      ...{ job_type_rev_id: `${ids.rev}`, event_id: group, recipe_id: group, batch_id: BATCH },
      ...{ max_tries: '3', priority: '1', last_status_change: 'at' },
      status: live(`(array['PENDING', 'BLOCKED', 'QUEUED'])[1 + i % 3]`, rare(`'FAILED'`, `'COMPLETED'`)),
      ...{ queued: 'at', class_key: live(`'class'`, 'null') },
      ...{
        error_id: rare(`(select min(id) from error where category = 'DATA')`, 'null'),
        num_exes: live('0', '1'),
      },
      ...{ is_superseded: 'is_rare', ...SOURCE },
    }),
    rowsFor('file', {
      ...{ uuid: 'gen_random_uuid()', file_type: rare(`'SOURCE'`, `'PRODUCT'`), file_path: `'p/' || i` },
      ...{ file_name: rare(`'few'`, `'name ' || i`), media_type: rare(`'few/few'`, `'text/plain'`) },
      ...{ file_size: 'i', workspace_id: `${ids.in}`, data_started: 'at', data_ended: 'at' },
      ...{ countries: rare(`'{FEW}'::text[]`, `'{FRA}'::text[]`), job_output: rare(`'few'`, `'OUT'`) },
      ...{ job_id: 'null', job_type_id: rare(`${ids.type2}`, `${ids.type}`), recipe_id: 'i' },
      ...{ recipe_node: rare(`'few'`, `'node'`), recipe_type_id: `${ids.recipeType}` },
      ...{ batch_id: BATCH, ...SOURCE },
    }),
    {
      table: 'job_input_file',
      insert: `insert into job_input_file (job_id, input, file_id)
        select i, 'IN', ${group} from generate_series(1, ${rows}) i`,
    },
    {
      table: 'recipe_node',
      insert: `insert into recipe_node (recipe_id, name, job_id)
        select ${group}, 'node' || coalesce(' ' || nullif(i % ${perRecipe}, 0), ''), i
        from generate_series(1, ${rows}) i`,
    },
    rowsFor('ingest', {
      ...{ file_name: rare(`'few'`, `'name ' || i`), ingest_ended: live('null', 'at') },
      status: live(`'TRANSFERRED'`, rare(`'ERRORED'`, `'INGESTED'`)),
      ...{ workspace_id: `${ids.in}`, file_path: `'p/' || i`, media_type: `'text/plain'`, scan_id: 'null' },
      data_started: 'at',
    }),
  ];
}

/** Inserts a number of rows into each growing table of an empty world. */
export async function fillLists(world: StoreWorld, rows: number): Promise<void> {
  const { ids } = world;
  for (const { insert } of listRows(world, rows)) await world.rows(insert);
  await world.rows(
    rowsOf(
      'job_exe',
      {
        ...{ job_id: 'i', exe_num: '1', job_type_id: `${ids.type}`, node_id: `${ids.node}`, started: 'at' },
        ...{ status: `'COMPLETED'`, queued: 'at', ended: 'at' },
      },
      { rows },
    ),
  );
  await world.rows(`insert into audit (at, username, known_by, address, request_id, method, route, path, status)
    select now() - i * interval '1 hour', case when i % 1000 = 0 then 'few' else 'user ' || i % 7 end, 'token',
      '::1', i, case when i % 1000 = 0 then 'DELETE' else 'POST' end,
      case when i % 1000 = 0 then 'few' else '/v6/' || i % 7 end, '/v6/', 200 from generate_series(1, ${rows}) i`);
  await world.rows(`insert into file_ancestry (descendant_id, ancestor_id, is_direct, job_id, job_exe_id)
    select id + 1, id, true, 1, 1 from file where id % 2 = 0 and id < (select max(id) from file)`);
  await world.rows(`insert into recipe_input_file (recipe_id, input, file_id)
    select recipe.id, 'IN', file.id from recipe join file on file.id = recipe.id`);
  await world.rows(`insert into recipe_node (recipe_id, name, job_id) select id, 'A', id from job`);
  // Later recipes have carried over one job in five thousand.
  await world.rows('update job set live_recipe_id = id + 1, live_batch_id = 42 where id % 5000 = 1');
  await world.rows(`vacuum analyze ${GROWING.join(', ')}`);
}

/** Lists that people search by a part of a name find it by an index, however many objects there are. */
import t from 'tap';
import { apiDeps } from '../../src/api/deps.ts';
import { apiRoutes } from '../../src/api/resources.ts';
import type { Sql } from '../../src/store/sql/sql.ts';
import { savedJob } from '../store/make.ts';
import { type StoreWorld, storeWorld } from '../store/store-world.ts';
import { makeCaller } from '../support/http.ts';
import { idleParts } from '../support/idle-parts.ts';

const ROWS = 20_000;
const INSTANTS = 'now() as created, now() as last_modified';
const TITLE = `'Title ' || i || case when i % 5000 = 1 then ' rare' else '' end as title`;
const NAMED = `'name-' || i as name, ${TITLE}, ${INSTANTS}`;
const columnsOf = ({ in: workspace, recipeType, recipeRev }: StoreWorld['ids'], job: number) => ({
  workspace: `gen_random_uuid() as uuid, '{}'::jsonb as configuration, ${NAMED}`,
  strike: `1 as shard, '{}'::jsonb as configuration, ${workspace} as workspace_id, ${job} as job_id, ${NAMED}`,
  batch: `1 as shard, ${recipeType} as recipe_type_id, ${recipeRev} as recipe_type_rev_id,
    (select max(id) from event) as event_id, '{}'::jsonb as definition, '{}'::jsonb as configuration,
    i as root_batch_id, 1 as recipes_estimated, ${TITLE}, ${INSTANTS}`,
  dataset: `'{}'::jsonb as definition, now() as created, ${TITLE}`,
});
const LISTS = {
  workspace: '/v6/workspaces/?keyword=RARE',
  strike: '/v6/strikes/?keyword=RARE',
  batch: '/v6/batches/?keyword=RARE',
  dataset: '/v6/datasets/?keyword=RARE',
} as const;

t.test('lists are searched by a part of a name with an index', async (t) => {
  const world = await storeWorld(t);
  const asked: { text: string; params: readonly unknown[] }[] = [];
  const sql: Sql = {
    execute: (statement, params = []) => {
      asked.push({ text: typeof statement === 'string' ? statement : statement.text, params: [...params] });
      return world.db.sql.execute(statement, params);
    },
    transaction: (work) => world.db.sql.transaction(work),
  };
  const { get } = makeCaller(apiRoutes('any'), apiDeps(idleParts(sql)));
  // Foreign keys need a job and its event.
  const job = await savedJob(world);
  for (const [table, columns] of Object.entries(columnsOf(world.ids, job.id))) {
    const rows = `select ${columns} from generate_series(1, ${ROWS}) i`;
    const names = [...columns.matchAll(/ as (\w+)/g)].map(([, name]) => name);
    await world.rows(`insert into ${table} (${names.join(', ')}) ${rows}`);
    await world.rows(`vacuum analyze ${table}`);
  }
  for (const [table, target] of Object.entries(LISTS)) {
    asked.length = 0;
    const { json, status } = await get(target);
    t.equal(status, 200, JSON.stringify(json));
    t.ok(asked.length > 0);
    for (const { text, params } of asked) {
      const plan = await world.db.sql.execute<{ 'QUERY PLAN': string }>(`explain ${text}`, params);
      t.match(plan.map((row) => row['QUERY PLAN']).join('\n'), `Index Scan on ${table}_part_idx`, text);
    }
  }
});

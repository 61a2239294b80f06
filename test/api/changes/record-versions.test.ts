/** Records of objects whose changes are told show their version; under /api/ they do not. */
import t from 'tap';
import { apiDeps } from '../../../src/api/deps.ts';
import { serviceRoutes } from '../../../src/api/service.ts';
import { SCAN_CONFIGURATION, STRIKE_CONFIGURATION, storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';
import { idleParts } from '../../support/idle-parts.ts';
import { fillLists } from '../../support/worlds/lists/list-rows.ts';

const world = await storeWorld(t);
const { ids } = world;

const [STRIKE, SCAN] = [STRIKE_CONFIGURATION, SCAN_CONFIGURATION].map((one) =>
  JSON.stringify({ ...one, files_to_ingest: [{ filename_regex: '.*' }] }),
);

/** One row of each table that has none. */
const REST = `
  insert into batch (id, shard, recipe_type_id, recipe_type_rev_id, event_id, definition, root_batch_id,
    recipes_estimated, created,
    last_modified) values (1, 1, ${ids.recipeType}, ${ids.recipeRev}, 1, '{}', 1, 0, now(), now());
  insert into strike (id, shard, name, title, description, configuration, workspace_id, job_id, created, last_modified)
    values (1, 1, 's', 'S', '', '${STRIKE}', ${ids.in}, 1, now(), now());
  insert into scan (id, shard, name, title, description, configuration, workspace_id, job_id, dry_run_job_id, created,
    last_modified) values (1, 1, 's', 'S', '', '${SCAN}', ${ids.in}, 1, 2, now(), now());
  insert into dataset (id, definition, created) values (1, '{}', now());
  insert into dataset_member (id, dataset_id, data, file_ids, created)
    values (1, 1, '{"files":{},"json":{}}', '{1}', now());
  insert into dataset_file (dataset_id, file_id, parameter_name) values (1, 1, 'IN');
  insert into purge (id, shard, file_id, file_name, workspace_id, file_path, file_size, created, last_modified)
    values (1, 1, 1, 'f', ${ids.in}, 'f', 1, now(), now());
  insert into recipe_condition (id, recipe_id, node_name, created) values (1, 1, 'C', now());
  insert into recipe_node (recipe_id, name, condition_id) values (1, 'C', 1);
  insert into recipe_type_job_type (recipe_type_id, job_type_id) values (${ids.recipeType}, ${ids.type})`;

/** By table: its list, and the record of its row `id`. */
const SHOWN: Readonly<Record<string, readonly [list: string, record: string, id?: number]>> = {
  workspace: ['/v6/workspaces/', '/v6/workspaces/{id}/', ids.in],
  strike: ['/v6/strikes/', '/v6/strikes/{id}/'],
  scan: ['/v6/scans/', '/v6/scans/{id}/'],
  ingest: ['/v6/ingests/', '/v6/ingests/{id}/'],
  file: ['/v6/files/', '/v6/files/{id}/'],
  purge: ['/v6/purges/', '/v6/purges/{id}/'],
  job_type: ['/v6/job-types/', '/v6/job-types/type-a/1.0.0/', ids.type],
  recipe_type: ['/v6/recipe-types/', '/v6/recipe-types/recipe-a/', ids.recipeType],
  recipe: ['/v6/recipes/', '/v6/recipes/{id}/'],
  job: ['/v6/jobs/', '/v6/jobs/{id}/'],
  job_exe: ['/v6/jobs/1/executions/', '/v6/jobs/1/executions/1/'],
  batch: ['/v6/batches/', '/v6/batches/{id}/'],
  dataset: ['/v6/datasets/', '/v6/datasets/{id}/'],
  node: ['/v6/nodes/', '/v6/nodes/{id}/', ids.node],
};

await fillLists(world, 3);
for (const statement of REST.split(/;\s*\n/)) await world.rows(statement);
// Different versions in each table, and in each of its rows.
for (const [at, table] of [...Object.keys(SHOWN), 'recipe_condition', 'scheduler_settings'].entries())
  await world.rows(`update ${table} set object_version = ${(at + 1) * 1_000} + id`);
const versionOf = async (table: string, id: number): Promise<number> =>
  (await world.one<{ version: number }>(`select object_version as version from ${table} where id = $1`, [id]))
    .version;

const caller = makeCaller(serviceRoutes('1.0.0'), apiDeps(idleParts(world.db.sql)) as never);
const answerOf = async (path: string) => {
  const answer = await caller.get(path);
  t.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 300)}`);
  return answer.json;
};

for (const [table, [list, record, id = 1]] of Object.entries(SHOWN)) {
  t.test(`record versions: ${table}`, async (t) => {
    const path = record.replace('{id}', String(id));
    const version = await versionOf(table, id);
    const listed = (await answerOf(`${list}?page_size=100`)).results as {
      id: number;
      object_version: number;
    }[];
    t.equal(listed.find((one) => one.id === id)?.object_version, version, list);
    t.equal((await answerOf(path)).object_version, version, path);
    for (const theirs of [list, path]) {
      const answer = await caller.get(`/api${theirs}`);
      t.equal(answer.status, 200, theirs);
      t.notMatch(answer.text, /object_version/, `/api${theirs}`);
    }
  });
}

t.test('record versions: objects inside other records, and the scheduler, have one', async (t) => {
  t.equal((await answerOf('/v6/scheduler/')).object_version, await versionOf('scheduler_settings', 1));
  t.equal((await answerOf('/v6/jobs/1/')).execution.object_version, await versionOf('job_exe', 1));
  const { nodes } = (await answerOf('/v6/recipes/1/')).details;
  t.equal(nodes.C.node_type.object_version, await versionOf('recipe_condition', 1));
  const [type] = (await answerOf('/v6/recipe-types/recipe-a/')).job_types;
  t.equal(type.object_version, await versionOf('job_type', ids.type));
  const [file] = (await answerOf('/v6/datasets/members/1/')).files;
  t.equal(file.scale_file.object_version, await versionOf('file', 1));
  for (const path of ['scheduler/', 'recipes/1/', 'datasets/members/1/', 'job-types/status/'])
    t.notMatch((await caller.get(`/api/v6/${path}`)).text, /object_version/, path);
});

/** What live needs a record: each condition on its own, beside the same thing when it has ended. */
import t, { type Test } from 'tap';
import { deletionRoutes } from '../../../src/api/deletions/routes.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { createScan } from '../../../src/store/scan/edit.ts';
import { createStrike } from '../../../src/store/strike/edit.ts';
import { makeEvent, makeSource, savedJob, savedRecipe } from '../../store/make.ts';
import {
  NOW,
  SCAN_CONFIGURATION,
  STRIKE_CONFIGURATION,
  type StoreWorld,
  storeWorld,
} from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';

const STORES_IN = { output_workspaces: { default: 'in', outputs: {} } };
const ELSEWHERE = { workspace: 'out' };
const moving = [{ filename_regex: '.*', data_types: [], new_workspace: 'in' }];

class World {
  readonly store: StoreWorld;
  readonly #call: ReturnType<typeof makeCaller>['call'];

  constructor(store: StoreWorld) {
    this.store = store;
    // biome-ignore lint/suspicious/noExplicitAny: nothing is asked in these tests
    const system: any = { tell: () => undefined };
    this.#call = makeCaller(deletionRoutes, { sql: store.db.sql, system }).call;
  }

  static async open(t: Test): Promise<World> {
    const store = await storeWorld(t);
    await ensureBuiltins(store.db.sql, NOW);
    return new World(store);
  }

  /** The sentences of the preview, in their order. */
  async reasons(path: string): Promise<readonly string[]> {
    const { status, json, text } = await this.#call('DELETE', `${path}?dry_run=true`);
    if (status !== 200) throw new Error(text);
    return json.needed_by.map((one: { reason: string }) => one.reason);
  }

  async #insert(text: string, values: readonly unknown[]): Promise<number> {
    return (await this.store.one<{ id: number }>(`${text} returning id`, values)).id;
  }

  async strike(name: string, over: object, isPaused: boolean): Promise<number> {
    const { sql } = this.store.db;
    const configuration = { ...STRIKE_CONFIGURATION, ...over };
    const workspaceId = this.store.ids[configuration.workspace === 'in' ? 'in' : 'out'];
    const about = { name, title: name, description: '', workspaceId, nowMs: NOW };
    const id = await createStrike(sql, { ...about, configuration });
    if (isPaused) await this.#pause(id);
    return id;
  }

  /** As the owner leaves it: paused, its job canceled. */
  async #pause(id: number): Promise<void> {
    await this.store.rows('update strike set is_paused = true where id = $1', [id]);
    await this.store.rows(
      `update job set status = 'CANCELED', ended = now() where id = (select job_id from strike where id = $1)`,
      [id],
    );
  }

  async scan(name: string, over: object, run: 'ingest' | null): Promise<number> {
    const configuration = { ...SCAN_CONFIGURATION, ...over };
    const workspaceId = this.store.ids[configuration.workspace === 'in' ? 'in' : 'out'];
    const about = { name, title: name, description: '', workspaceId, nowMs: NOW };
    const id = await createScan(this.store.db.sql, { ...about, configuration });
    await this.store.rows('update scan set run = $2 where id = $1', [id, run]);
    return id;
  }

  ingest(owner: 'strike_id' | 'scan_id', id: number, status: string): Promise<number> {
    return this.#insert(
      `insert into ingest (${owner}, file_name, status, workspace_id, file_path, file_size, mtime_ms, arrival,
         media_type, transfer_started, created, last_modified)
       select $1, 'a.txt', $2, $3, 'a.txt', 1, 1, 'a' || $2, 'text/plain', now(), now(), now()`,
      [id, status, this.store.ids.out],
    );
  }

  async job(status: string, over: Parameters<typeof savedJob>[1] = {}): Promise<number> {
    const { id } = await savedJob(this.store, over);
    const ended = ['FAILED', 'CANCELED', 'COMPLETED'].includes(status) ? 'now()' : 'null';
    const started = status === 'RUNNING' ? 'now()' : 'null';
    await this.store.rows(
      `update job set status = $2, started = ${started}, ended = ${ended} where id = $1`,
      [id, status],
    );
    return id;
  }

  /** Its only job is of `jobs`. */
  async recipe(jobs: 'queued' | 'failed' | 'completed', over: Parameters<typeof savedRecipe>[1] = {}) {
    const { id } = await savedRecipe(this.store, over);
    const completed = jobs === 'completed' ? 'is_completed = true, completed = now(),' : '';
    await this.store.rows(`update recipe set ${completed} jobs_${jobs} = 1, jobs_total = 1 where id = $1`, [
      id,
    ]);
    return id;
  }

  /** A recipe type with a revision; its definition names what `nodes` say. */
  async recipeType(name: string, nodes: Readonly<Record<string, object>>) {
    const definition = {
      input: { files: [], json: [] },
      nodes: Object.fromEntries(
        Object.entries(nodes).map(([node, node_type]) => [node, { dependencies: [], input: {}, node_type }]),
      ),
    };
    const id = await this.#insert(
      `insert into recipe_type (name, title, definition, created, last_modified) values ($1, $1, $2, now(), now())`,
      [name, definition],
    );
    const rev = await this.#insert(
      `insert into recipe_type_rev (recipe_type_id, revision_num, definition, created) values ($1, 1, $2, now())`,
      [id, definition],
    );
    return { recipeTypeId: id, recipeTypeRevId: rev };
  }

  async batch(isDone: boolean, over: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const { recipeType, recipeRev } = this.store.ids;
    const { recipeTypeId = recipeType, recipeTypeRevId = recipeRev, superseded = null, dataset = 0 } = over;
    const eventId = await this.store.newId('event');
    await this.store.apply({ type: 'createEvents', events: [makeEvent(eventId)] });
    return this.#insert(
      `insert into batch (shard, recipe_type_id, recipe_type_rev_id, event_id, definition, root_batch_id,
         superseded_batch_id, is_creation_done, recipes_estimated, created, last_modified)
       values (1, $1, $2, $3, jsonb_build_object('dataset', $4::bigint), $3, $5, $6, 1, now(), now())`,
      [recipeTypeId, recipeTypeRevId, eventId, dataset, superseded, isDone],
    );
  }
}

const jobType = (name: string) => ({ node_type: 'job', job_type_name: name, job_type_version: '1.0.0' });
const notEnded = (kind: 'job' | 'recipe', ...ids: readonly number[]) =>
  ids.map((id) => `the ${kind} ${id} has not ended`);
const watches = (name: string) => `the strike '${name}' is not paused, or has ingests under way`;
const incomplete = (id: number) => `the batch ${id} does not have all its recipes yet`;

t.test('needs: the objects that need a workspace are found', async (t) => {
  const world = await World.open(t);
  const { store } = world;
  const { ids } = store;
  const path = `/v6/workspaces/${ids.in}/`;
  await world.strike('watches', {}, false);
  await world.strike('paused', {}, true);
  await world.ingest('strike_id', await world.strike('ingests', {}, true), 'INGESTING');
  await world.ingest('strike_id', await world.strike('ingested', {}, true), 'INGESTED');
  await world.strike('moves', { ...ELSEWHERE, files_to_ingest: moving }, false);
  await world.strike('elsewhere', ELSEWHERE, false);
  await world.scan('lists', {}, 'ingest');
  await world.scan('idle', {}, null);
  await store.rows(`update job_type set configuration = $1 where name = 'type-a'`, [STORES_IN]);
  const queued = [await world.job('QUEUED'), await world.job('PENDING'), await world.job('RUNNING')];
  const blocked = await world.job('BLOCKED');
  for (const status of ['FAILED', 'CANCELED', 'COMPLETED']) await world.job(status);
  const type2 = { jobTypeId: ids.type2 };
  const own = await world.job('QUEUED', { ...type2, configuration: STORES_IN as never });
  await world.job('QUEUED', type2);
  const recipe = await world.recipe('queued');
  await world.recipe('failed');
  await world.recipe('completed');
  const other = await world.recipeType('other', { B: jobType('type-b') });
  const configured = await world.recipe('queued', { ...other, configuration: STORES_IN as never });
  await world.recipe('queued', other);
  const purge = (phase: string, fileId: number) =>
    store.one<{ id: number }>(
      `insert into purge (shard, file_id, file_name, workspace_id, file_path, file_size, phase, created, last_modified)
       values (1, $1, 'p', $2, 'p', 1, $3, now(), now()) returning id`,
      [fileId, ids.in, phase],
    );
  const open = (await purge('bytes', 900_001)).id;
  await purge('done', 900_002);
  const files = [];
  for (const name of ['kept', 'superseded', 'deleted'])
    files.push(await makeSource(store, { fileName: name, filePath: name }));
  await store.apply({ type: 'createSourceFiles', files });
  await store.rows(`update file set is_superseded = true, superseded = now() where file_name = 'superseded'`);
  await store.rows(`update file set is_deleted = true, deleted = now() where file_name = 'deleted'`);
  const [kept, superseded] = files.map(({ id }) => id);
  t.strictSame(await world.reasons(path), [
    ...[watches('watches'), watches('ingests'), watches('moves'), `the scan 'lists' is under way`],
    `the job type 'type-a 1.0.0' is active and stores products in it`,
    ...notEnded('job', ...queued, blocked, own),
    ...notEnded('recipe', recipe, configured),
    `the purge ${open} is not completed`,
    ...[`the file ${kept} ('kept') is not deleted`, `the file ${superseded} ('superseded') is not deleted`],
  ]);
});

t.test('needs: the objects that need a strike or a scan are found', async (t) => {
  const world = await World.open(t);
  const strike = await world.strike('s', {}, true);
  const path = `/v6/strikes/${strike}/`;
  t.strictSame(await world.reasons(path), []);
  const one = await world.ingest('strike_id', strike, 'TRANSFERRED');
  const two = await world.ingest('strike_id', strike, 'INGESTING');
  for (const status of ['DEFERRED', 'ERRORED', 'DUPLICATE']) await world.ingest('strike_id', strike, status);
  await world.store.rows('update strike set is_paused = false where id = $1', [strike]);
  const ofIngests = [one, two].map((id) => `the ingest ${id} of 'a.txt' has not ended`);
  t.strictSame(await world.reasons(path), ['the strike is not paused', ...ofIngests]);

  const scan = await world.scan('c', {}, null);
  t.strictSame(await world.reasons(`/v6/scans/${scan}/`), []);
  const three = await world.ingest('scan_id', scan, 'INGESTING');
  t.strictSame(await world.reasons(`/v6/scans/${scan}/`), [`the ingest ${three} of 'a.txt' has not ended`]);
  await world.ingest('scan_id', scan, 'INGESTED');
  await world.store.rows(`delete from ingest where id = $1`, [three]);
  for (const set of [`run = 'ingest'`, 'cancel_through = 1', `waiting = '["ingest"]'`]) {
    await world.store.rows(
      `update scan set run = null, cancel_through = null, waiting = '[]' where id = $1`,
      [scan],
    );
    await world.store.rows(`update scan set ${set} where id = $1`, [scan]);
    t.strictSame(await world.reasons(`/v6/scans/${scan}/`), ['the scan is under way'], set);
  }
});

t.test('needs: the objects that need a dataset or a batch are found', async (t) => {
  const world = await World.open(t);
  const { id: dataset } = await world.store.one<{ id: number }>(
    `insert into dataset (definition, created) values ('{}', now()) returning id`,
  );
  const done = await world.batch(true, { dataset });
  t.strictSame(await world.reasons(`/v6/datasets/${dataset}/`), []);
  const open = await world.batch(false, { dataset, superseded: done });
  t.strictSame(await world.reasons(`/v6/datasets/${dataset}/`), [incomplete(open)]);
  const recipe = await world.recipe('queued', { batchId: done });
  await world.recipe('failed', { batchId: done });
  await world.recipe('completed', { batchId: done });
  t.strictSame(await world.reasons(`/v6/batches/${done}/`), [
    incomplete(open),
    ...notEnded('recipe', recipe),
  ]);
  t.strictSame(await world.reasons(`/v6/batches/${open}/`), [incomplete(open)]);
});

t.test('needs: the objects that need a job type or a recipe type are found', async (t) => {
  const world = await World.open(t);
  const { store } = world;
  const { type, recipeType, recipeRev } = store.ids;
  const queued = await world.job('QUEUED');
  const blocked = await world.job('BLOCKED');
  await world.job('FAILED');
  await store.rows(
    `insert into recipe_type_job_type (recipe_type_id, job_type_id) values (${recipeType}, ${type})`,
  );
  const recipe = await world.recipe('queued');
  const outer = await world.recipeType('outer', { R: { node_type: 'recipe', recipe_type_name: 'recipe-a' } });
  const deep = await world.recipe('queued', outer);
  await world.recipe('failed', outer);
  t.strictSame(await world.reasons('/v6/job-types/type-a/1.0.0/'), [
    ...notEnded('job', queued, blocked),
    `the recipe type 'recipe-a' is active and contains it`,
    ...notEnded('recipe', recipe, deep),
  ]);
  await store.rows(`insert into recipe_type_sub_type (recipe_type_id, sub_recipe_type_id) values ($1, $2)`, [
    ...[outer.recipeTypeId, recipeType],
  ]);
  const batch = await world.batch(false, { recipeTypeId: recipeType, recipeTypeRevId: recipeRev });
  await world.strike('starts', { workspace: 'out' }, false);
  await world.strike('paused', { workspace: 'out' }, true);
  await world.scan('starts-too', { workspace: 'out', recipe: { name: 'recipe-a' } }, 'ingest');
  await world.scan('idle', { workspace: 'out', recipe: { name: 'recipe-a' } }, null);
  t.strictSame(await world.reasons('/v6/recipe-types/recipe-a/'), [
    ...[...notEnded('recipe', recipe, deep), incomplete(batch)],
    `the recipe type 'outer' is active and contains it`,
    ...[watches('starts'), `the scan 'starts-too' is under way`],
  ]);
  await store.rows(`update recipe_type set is_active = false, deprecated = now() where name = 'outer'`);
  const { length } = await world.reasons('/v6/recipe-types/recipe-a/');
  t.equal(length, 5, 'one that is not active does not need it');
});

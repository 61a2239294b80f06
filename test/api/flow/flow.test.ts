/** The flow of files: its nodes, and the counters on its edges. */
import t from 'tap';
import { flowOf } from '../../../src/api/flow/flow.ts';
import { flowRoutes } from '../../../src/api/flow/routes.ts';
import { foldHours } from '../../../src/store/metrics/hour-totals.ts';
import { foldListCounts } from '../../../src/store/metrics/list-counts.ts';
import { savedJob } from '../../store/make.ts';
import { type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { makeCaller, NOW_MS } from '../../support/http.ts';

const HOUR_MS = 3_600_000;

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

async function addFinder(store: StoreWorld, table: 'strike' | 'scan', name: string): Promise<number> {
  const id = await store.newId(table);
  const [job, dry] = [await savedJob(store), await savedJob(store)];
  const configuration = {
    files_to_ingest: [{ filename_regex: '.*\\.txt$' }, { filename_regex: '.*' }],
    recipe: { name: 'recipe-a' },
  };
  const [columns, values] = table === 'scan' ? [', dry_run_job_id', ', $6'] : ['', ''];
  await store.rows(
    `insert into ${table} (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified
       ${columns})
     values ($1, 1, $2::text, upper($2::text), $3, $4, $5, now(), now()${values})`,
    [id, name, JSON.stringify(configuration), store.ids.in, job.id, ...(table === 'scan' ? [dry.id] : [])],
  );
  return id;
}

const addIngests = (store: StoreWorld, column: string, id: number, status: string, count: number) =>
  store.rows(
    `insert into ingest (file_name, status, workspace_id, file_path, media_type, ${column}, created, last_modified)
     select 'n', $2::text, $3::bigint, $2::text || $1::bigint || '/' || i, 'text/plain', $1::bigint, now(), now()
     from generate_series(1, $4::int) i`,
    [id, status, store.ids.in, count],
  );

const addHour = (
  store: StoreWorld,
  row: { kind: string; id: number; measure: string; n: number; atMs: number },
) =>
  store.rows(
    `insert into hour_total_delta (kind, subject_id, measure, hour, n, total, least, most)
     values ($1, $2, $3, date_trunc('hour', to_timestamp($4::float8 / 1000), 'UTC'), $5, 0, null, null)`,
    [row.kind, row.id, row.measure, row.atMs, row.n],
  );

t.test('the flow: definitions are its nodes, and its edges have counters', async (t) => {
  const store = await storeWorld(t);
  const { get } = makeCaller(flowRoutes, { sql: store.db.sql });
  const { ids } = store;
  await store.rows('insert into recipe_type_job_type (recipe_type_id, job_type_id) values ($1, $2)', [
    ids.recipeType,
    ids.type,
  ]);
  const strike = await addFinder(store, 'strike', 'texts');
  const scan = await addFinder(store, 'scan', 'old-texts');
  await addIngests(store, 'strike_id', strike, 'TRANSFERRED', 3);
  await addIngests(store, 'strike_id', strike, 'DEFERRED', 2);
  await addIngests(store, 'scan_id', scan, 'INGESTING', 1);
  const at = { atMs: NOW_MS - HOUR_MS / 2 };
  await addHour(store, { kind: 'ingests', id: strike, measure: 'ingested', n: 6, ...at });
  await addHour(store, { kind: 'ingests', id: strike, measure: 'errored', n: 4, ...at });
  await addHour(store, {
    kind: 'ingests',
    id: strike,
    measure: 'ingested',
    n: 50,
    atMs: NOW_MS - 5 * HOUR_MS,
  });
  await addHour(store, { kind: 'scan-ingests', id: scan, measure: 'ingested', n: 9, ...at });
  await addHour(store, { kind: 'job-types', id: ids.type, measure: 'completed', n: 8, ...at });
  await addHour(store, { kind: 'job-types', id: ids.type, measure: 'failed', n: 1, ...at });
  await store.rows(
    `insert into list_count_delta (kind, facets, count) values
       ('file', jsonb_build_object('file_type', 'PRODUCT', 'media_type', 'x/y', 'job_type_id', $1::bigint,
         'recipe_type_id', $2::bigint, 'job_output', 'O', 'recipe_node', 'n'), 12),
       ('recipe', jsonb_build_object('recipe_type_id', $2::bigint, 'is_superseded', false, 'is_completed', false), 7)`,
    [ids.type, ids.recipeType],
  );

  const expected = (flow: Json) => {
    const edge = (from: string, to: string) =>
      flow.edges.find((one: Json) => one.from === from && one.to === to);
    const keys = {
      ...{ workspace: `workspace-${ids.in}`, strike: `strike-${strike}`, scan: `scan-${scan}` },
      ...{ recipe: `recipe_type-${ids.recipeType}`, job: `job_type-${ids.type}` },
    };
    t.strictSame(flow.nodes.map(({ key }: Json) => key).sort(), Object.values(keys).sort());
    t.match(edge(keys.workspace, keys.strike), { live: 3, waiting: 2, done: 6, failed: 4 });
    t.match(edge(keys.workspace, keys.scan), { live: 1, waiting: 0, done: 9, failed: 0 });
    t.match(edge(keys.strike, keys.recipe), { done: 6, failed: 0 });
    t.match(edge(keys.scan, keys.recipe), { done: 9 });
    t.match(edge(keys.recipe, keys.job), { done: 8, failed: 1, files: 12 });
    t.equal(flow.edges.length, 5);
    const node = (key: string) => flow.nodes.find((one: Json) => one.key === key);
    t.match(node(keys.strike), { title: 'TEXTS', is_active: true, patterns: ['.*\\.txt$', '.*'] });
    t.match(node(keys.recipe), { live: 7 });
    t.match(node(keys.job), { files: 12, version: '1.0.0' });
    t.equal(flow.is_cut, false);
  };
  const unfolded = await get('/v6/flow/?started=PT1H');
  t.equal(unfolded.status, 200, unfolded.text);
  expected(unfolded.json);
  await foldListCounts(store.db.sql);
  await foldHours(store.db.sql);
  const { json } = await get('/v6/flow/');
  expected(json);
  t.ok(Date.parse(json.started) <= NOW_MS - HOUR_MS, 'whole hours are counted');

  await t.test('a longer range counts more, and a too long one is refused', async (t) => {
    const { json: day } = await get('/v6/flow/?started=P1D');
    t.match(
      day.edges.find(({ to }: Json) => to === `strike-${strike}`),
      { done: 56 },
    );
    const refused = await get('/v6/flow/?started=P8D');
    t.equal(refused.status, 400);
    t.match(refused.json.errors[0], { name: 'RANGE_TOO_LONG', path: 'started' });
  });

  await t.test('deleted objects are not in it, and paused ones are marked', async (t) => {
    await store.rows('update scan set deleted = now() where id = $1', [scan]);
    await store.rows('update strike set is_paused = true where id = $1', [strike]);
    const { json: after } = await get('/v6/flow/');
    t.notOk(after.nodes.some(({ kind }: Json) => kind === 'scan'));
    t.match(
      after.nodes.find(({ kind }: Json) => kind === 'strike'),
      { is_active: false },
    );
  });

  await t.test('an answer is limited, and says that there is more', async (t) => {
    await addFinder(store, 'strike', 'more-texts');
    const range = { startedMs: NOW_MS - HOUR_MS, endedMs: NOW_MS };
    const bounds = { strikes: 1, scans: 0, recipeTypes: 1, jobTypes: 1, rules: 1 };
    const flow = await flowOf(store.db.sql, range, bounds);
    t.equal(flow.is_cut, true);
    const strikes = flow.nodes.filter(({ kind }) => kind === 'strike');
    t.equal(strikes.length, 1);
    t.strictSame(strikes[0]?.patterns, ['.*\\.txt$']);
  });
});

t.test('the flow: a service without definitions has an empty flow', async (t) => {
  const store = await storeWorld(t);
  const { get } = makeCaller(flowRoutes, { sql: store.db.sql });
  const { status, json } = await get('/v6/flow/');
  t.equal(status, 200);
  t.match(json, { nodes: [], edges: [], is_cut: false });
});

/** Launches for agents, built from rows of a real database. */
import t from 'tap';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { launchSpecs as readLaunches } from '../../../src/store/execution/launch-load.ts';
import { makeLaunch } from '../../support/agent/make-launch.ts';
import { encryptionOf } from '../../support/worlds/encryption.ts';
import { makeInput, makeQueueing, makeSource, makeStart, savedJob, savedRecipe } from '../make.ts';
import { NOW, storeWorld } from '../store-world.ts';

const store = await storeWorld(t);
const { sql } = store.db;
const encryption = encryptionOf(Buffer.alloc(32, 1));

const unreadable = new Map<number, unknown>();
const launchSpecs = (ids: readonly number[], by = encryption) =>
  readLaunches(sql, by, ids, (id, error) => void unreadable.set(id, error));

const file = (name: string, over: object = {}) => ({
  ...{ name, required: true, media_types: [], mediaTypes: [], multiple: false, partial: false },
  ...over,
});
const manifest = JSON.parse(
  makeLaunch(1, {
    interface: {
      inputs: { files: [file('IN')], json: [] },
      outputs: {
        files: [{ name: 'OUT', mediaType: 'text/plain', pattern: '*.txt', multiple: false, required: true }],
        json: [],
      },
      settings: [
        { name: 'LEVEL', secret: false },
        { name: 'PASS', secret: true },
      ],
    } as unknown as Partial<Manifest['job']['interface']>,
  }).manifest,
) as Manifest;
const CONFIGURATION = {
  settings: { LEVEL: 'high', PASS: 'leaked' },
  output_workspaces: { default: 'out', outputs: {} },
};

await store.rows('update job_type_rev set manifest = $1 where job_type_id = $2', [
  JSON.stringify(manifest),
  store.ids.type,
]);
await store.rows('update job_type set configuration = $1, secrets = $2 where id = $3', [
  JSON.stringify(CONFIGURATION),
  encryption.encrypt(JSON.stringify({ PASS: 'opened' }), `job_type/${store.ids.type}`),
  store.ids.type,
]);

async function sourceFile(): Promise<number> {
  const source = await makeSource(store, { filePath: `in/${await store.newId('file')}.txt` });
  await store.apply({ type: 'createSourceFiles', files: [source] });
  return source.id;
}

async function placed(over: Parameters<typeof savedJob>[1] = {}) {
  const fileId = await sourceFile();
  const job = await savedJob(store, {
    input: makeInput({ IN: [fileId] }),
    queueing: makeQueueing({ resources: { cpus: 1, mem: 256 } }),
    ...over,
  });
  const start = await makeStart(store, job.id);
  await store.apply({ type: 'placeJobs', starts: [start] });
  return { executionId: start.executionId, jobId: job.id, fileId };
}
const move = (jobId: number, to: 'CANCELED' | 'RUNNING') =>
  store.apply({
    type: 'moveJobs',
    moves: [{ kind: 'status', jobId, from: ['RUNNING'], exeNum: 1, to: to as never, atMs: NOW }],
  });

t.test('launch: it has all that the task needs, with secrets from the type only', async (t) => {
  const { executionId, jobId, fileId } = await placed();
  const { launches, failed } = await launchSpecs([executionId]);
  t.strictSame(failed, []);
  t.match(launches, [
    {
      ...{
        executionId,
        jobId,
        exeNum: 1,
        owner: `job/${jobId}`,
        jobTypeName: 'type-a',
        containerImage: 'image:a',
      },
      inputs: [{ name: 'IN', files: [{ fileId, isSource: true }] }],
      settings: [
        { name: 'LEVEL', value: 'high', isSecret: false },
        { name: 'PASS', value: 'opened', isSecret: true },
      ],
      resources: { cpus: 1, mem: 256 },
      outputs: [{ output: 'OUT' }],
      environment: { MILLRACE_JOB_ID: String(jobId), SCALE_JOB_ID: String(jobId), SCALE_EXE_NUM: '1' },
      timeoutS: 60,
    },
  ]);
  const [launch] = launches;
  t.same(launch?.workspaces.map((one) => one.name).sort(), ['in', 'out']);
  t.notMatch(launch?.environment, { MILLRACE_RECIPE_ID: /./ });
  const described = JSON.parse(launch?.inputMetadata ?? '{}').JOB.IN[0];
  const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  t.match(described, { id: fileId, workspace: { name: 'in' }, url: null, meta_data: {}, created: instant });
  t.hasProps(described, ['job_type', 'recipe_type', 'batch', 'source_started', 'countries', 'center_point']);
  t.notMatch(JSON.parse(launch?.inputMetadata ?? '{}'), { RECIPE: {} });
});

t.test('launch: a job of a recipe names it in its variables and its directory', async (t) => {
  const recipe = await savedRecipe(store);
  const { executionId } = await placed({
    recipeId: recipe.id,
    recipeIds: [recipe.id],
    owner: { kind: 'recipe', key: recipe.id },
  });
  const { launches } = await launchSpecs([executionId]);
  t.match(launches, [
    {
      owner: `recipe/${recipe.id}`,
      environment: { MILLRACE_RECIPE_ID: String(recipe.id), SCALE_RECIPE_ID: String(recipe.id) },
      productDirectory: /recipe-a/,
    },
  ]);
});

t.test('launch: a second build gives the same launch', async (t) => {
  const { executionId } = await placed();
  t.strictSame(await launchSpecs([executionId]), await launchSpecs([executionId]));
});

t.test('launch: launches built together equal those built alone, whatever their types', async (t) => {
  const { type2: jobTypeId } = store.ids;
  const [row] = await store.rows<{ id: number }>(
    'update job_type_rev set manifest = $1 where job_type_id = $2 returning id',
    [makeLaunch(1).manifest, jobTypeId],
  );
  const other = { jobTypeId, jobTypeRevId: row?.id ?? 0, input: makeInput({}) };
  const ids: number[] = [];
  for (const over of [{}, other, {}, other]) ids.push((await placed(over)).executionId);
  const together = (await launchSpecs(ids)).launches;
  t.strictSame(
    ids.map((id) => together.find(({ executionId }) => executionId === id)?.settings.length),
    [2, 0, 2, 0],
  );
  for (const id of ids) {
    const { launches } = await launchSpecs([id]);
    t.strictSame(
      launches,
      together.filter(({ executionId }) => executionId === id),
    );
  }
});

t.test('launch: ended and unknown executions are in neither list', async (t) => {
  const { executionId, jobId } = await placed();
  await store.apply({
    type: 'endExecutions',
    ends: [{ executionId, status: 'FAILED', error: null, output: null, phases: [], atMs: NOW }],
  });
  t.strictSame(await launchSpecs([executionId, 999_999_999]), { launches: [], failed: [] });
  t.strictSame(await launchSpecs([]), { launches: [], failed: [] });
  t.ok(jobId);
});

t.test('launch: an execution that its job has replaced is not launched', async (t) => {
  const { executionId, jobId } = await placed();
  await move(jobId, 'CANCELED');
  const { launches, failed } = await launchSpecs([executionId]);
  t.strictSame(launches, []);
  t.match(failed, [{ executionId, error: { name: 'scheduler-lost', isBuiltin: true } }]);
});

for (const [what, statement, error] of [
  ['a deleted input', 'update file set is_deleted = true where id = $1', 'deleted-file'],
  [
    'an input whose record is gone',
    `update job set input = jsonb_set(input, '{files,IN}', to_jsonb(array[999999999 + 0 * $1::bigint]))
     where input->'files'->'IN' @> to_jsonb($1::bigint)`,
    'missing-file',
  ],
] as const) {
  t.test(`launch: ${what} fails that execution and no other`, async (t) => {
    const [bad, good] = [await placed(), await placed()];
    await store.rows(statement, [bad.fileId]);
    const { launches, failed } = await launchSpecs([bad.executionId, good.executionId]);
    t.match(failed, [{ executionId: bad.executionId, error: { name: error } }]);
    t.same(
      launches.map((one) => one.executionId),
      [good.executionId],
    );
  });
}

t.test(
  'launch: one with values that cannot be read fails alone, and a refused statement fails none',
  async (t) => {
    const all = [await placed(), await placed(), await placed(), await placed(), await placed()];
    const bad = [all[1], all[4]].map((one) => one?.executionId ?? 0);
    await store.rows(`update job set input = '{"files": null}' where id = any($1)`, [
      [all[1], all[4]].map((one) => one?.jobId),
    ]);
    const { launches, failed } = await launchSpecs(all.map((one) => one.executionId));
    t.match(
      failed,
      bad.map((executionId) => ({ executionId, error: { name: 'task-launch', isBuiltin: true } })),
    );
    t.same(
      launches.map((one) => one.executionId),
      [all[0], all[2], all[3]].map((one) => one?.executionId),
    );
    t.strictSame([...unreadable.keys()], bad);
    t.ok([...unreadable.values()].every((error) => error instanceof TypeError));
    unreadable.clear();

    await store.rows('alter table workspace rename column is_active to other');
    await t.rejects(launchSpecs(all.slice(0, 1).map((one) => one.executionId)), { code: '42703' });
    await store.rows('alter table workspace rename column other to is_active');
    t.equal(unreadable.size, 0);
  },
);

t.test('launch: an execution whose workspace was deactivated meanwhile is tried again', async (t) => {
  const { executionId } = await placed();
  for (const id of [store.ids.in, store.ids.out]) {
    await store.rows('update workspace set is_active = false where id = $1', [id]);
    const { failed } = await launchSpecs([executionId]);
    t.match(failed, [{ executionId, error: { name: 'task-launch', detail: /deactivated/ } }]);
    await store.rows('update workspace set is_active = true where id = $1', [id]);
  }
  t.equal((await launchSpecs([executionId])).launches.length, 1);
});

t.test('launch: secrets that cannot be decrypted fail the executions of their type, unseen', async (t) => {
  const { executionId } = await placed();
  const other = encryptionOf(Buffer.alloc(32, 2));
  const { launches, failed } = await launchSpecs([executionId], other);
  t.strictSame(launches, []);
  t.match(failed, [
    {
      executionId,
      error: { name: 'missing-setting', detail: /has no key [0-9a-f]+, which a stored secret/ },
    },
  ]);
  t.notOk(JSON.stringify(failed).includes('opened"'));
});

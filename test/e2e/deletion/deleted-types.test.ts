/** Deleted job types, recipe types, datasets and batches: gone or hidden, kept by what needs them, brought back. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { CATALOG_LOCK, DELETION_LOCK } from '../../../src/store/locks.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';
import { type DeletionWorld, deletionWorld, isGone, livesOf, reasonsOf } from './deletion-world.ts';

const one = (name: string) => ({
  title: `Of ${name}`,
  name: `of-${name}`,
  definition: {
    input: {},
    nodes: {
      only: {
        dependencies: [],
        input: {},
        node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0' },
      },
    },
  },
});
const pathOf = (name: string) => `/v6/job-types/${name}/1.0.0/`;
const NOTHING = { files: {}, json: {} };
const JOBS = 8;

async function recipesAndBatches(t: Test, world: DeletionWorld): Promise<void> {
  const { first, second } = world;
  const { client } = first;
  await createJobType(client, { name: 'quick', script: 'true' });
  const type = (await first.call('POST', '/v6/recipe-types/', one('quick'))).body;
  const path = '/v6/recipe-types/of-quick/';
  const dataset = (
    await first.call('POST', '/v6/datasets/', {
      definition: { parameters: { json: [{ name: 'N', type: 'integer' }] } },
      data: [{ files: {}, json: { N: 1 } }],
    })
  ).body;
  t.ok(dataset?.id, JSON.stringify(dataset));
  const batch = (
    await first.call('POST', '/v6/batches/', {
      title: 'All',
      recipe_type_id: type.id,
      definition: { dataset: dataset.id },
    })
  ).body;
  t.ok(batch?.id, JSON.stringify(batch));
  const batchPath = `/v6/batches/${batch.id}/`;
  await until('the batch is done', async () => {
    const { body } = await second.call('GET', batchPath);
    return body.is_creation_done && body.recipes_completed === body.recipes_total;
  });
  const [recipe] = (await first.call('GET', `/v6/recipes/?batch_id=${batch.id}`)).body.results;

  for (const gone of [batchPath, `/v6/datasets/${dataset.id}/`, path]) {
    t.match(await second.call('DELETE', `${gone}?dry_run=true`), { body: { outcome: 'hidden' } }, gone);
    t.equal((await second.call('DELETE', gone)).status, 204, gone);
    await isGone(t, world, gone);
  }
  t.match(await first.call('GET', `/v6/recipes/${recipe.id}/`), {
    status: 200,
    body: { recipe_type: { id: type.id, name: 'of-quick' }, batch: { id: batch.id } },
  });
  for (const list of ['/v6/batches/', '/v6/datasets/', '/v6/recipe-types/?keyword=of-quick']) {
    t.equal((await first.call('GET', list)).body.count, 0, list);
  }
  t.equal(
    (await first.call('POST', '/v6/recipes/', { recipe_type_id: type.id, input: NOTHING })).status,
    400,
  );
  t.equal(
    (await first.call('POST', `/v6/datasets/${dataset.id}/`, { data: [{ files: {}, json: { N: 2 } }] }))
      .status,
    404,
  );
  const back = await second.call('POST', '/v6/recipe-types/', one('quick'));
  t.match(back, { status: 201, body: { id: type.id, revision_num: 2, is_active: true } });
}

/** The test holds locks of the store to decide who comes first. */
async function races(t: Test, world: DeletionWorld): Promise<void> {
  const { first, second, database } = world;
  const holder = new pg.Client({ connectionString: database });
  await holder.connect();
  t.teardown(() => holder.end());
  const waiting = (lock: number, mode: string, count: number) =>
    until(`${count} wait for the lock ${lock}`, async () => {
      const { rows } = await holder.query(
        `select from pg_locks where locktype = 'advisory' and not granted and objid::bigint = $1::bigint & 4294967295
           and mode = $2 and database = (select oid from pg_database where datname = current_database())`,
        [lock, mode],
      );
      return rows.length >= count;
    });
  const create = (id: number) =>
    Array.from({ length: JOBS }, (_, at) =>
      (at % 2 === 0 ? first : second).call('POST', '/v6/jobs/', { job_type_id: id, input: NOTHING }),
    );

  const early = await createJobType(first.client, { name: 'raced-early', script: 'sleep 600' });
  await holder.query('select pg_advisory_lock($1)', [CATALOG_LOCK]);
  const refused = second.call('DELETE', pathOf('raced-early'));
  await waiting(CATALOG_LOCK, 'ExclusiveLock', 1);
  for (const { status } of await Promise.all(create(early)))
    t.equal(status, 201, 'a job before the deletion');
  await holder.query('select pg_advisory_unlock($1)', [CATALOG_LOCK]);
  const answer = await refused;
  t.match(answer, { status: 409, body: { code: 'STATE_CONFLICT' } });
  t.equal(answer.body.errors.length, JOBS, 'each of the jobs needs it');
  await first.client.post('/v6/jobs/cancel/', { job_type_ids: [early] });

  const late = await createJobType(first.client, { name: 'raced-late', script: 'sleep 600' });
  await holder.query('select pg_advisory_lock_shared($1)', [DELETION_LOCK]);
  const deleted = second.call('DELETE', pathOf('raced-late'));
  await waiting(DELETION_LOCK, 'ExclusiveLock', 1);
  const made = create(late);
  await waiting(DELETION_LOCK, 'ShareLock', 2);
  await holder.query('select pg_advisory_unlock_shared($1)', [DELETION_LOCK]);
  t.equal((await deleted).status, 204, 'the deletion comes first');
  for (const { status } of await Promise.all(made))
    t.ok([400, 409].includes(status), `no job of a deleted type: ${status}`);
  t.equal((await first.call('GET', `/v6/jobs/?job_type_id=${late}`)).body.count, 0);
}

t.test('deletion: job types, recipe types, datasets and batches are deleted and restored', async (t) => {
  const world = await deletionWorld(t);
  const { first, second } = world;
  const { client } = first;
  await t.test('a record without a history is removed, and its name is free', async (t) => {
    const id = await createJobType(client, { name: 'unused', script: 'true' });
    t.match(await first.call('DELETE', `${pathOf('unused')}?dry_run=true`), {
      status: 200,
      body: { outcome: 'removed', needed_by: [], more_count: 0 },
    });
    t.equal((await second.call('GET', pathOf('unused'))).status, 200, 'the preview deletes nothing');
    t.equal((await first.call('DELETE', pathOf('unused'))).status, 204);
    await isGone(t, world, pathOf('unused'));
    const again = await createJobType(client, { name: 'unused', script: 'true' });
    t.not(again, id, 'a new record under the same name');
    t.strictSame(await livesOf(second, 'job_type', id, 2), ['created', 'removed']);
  });

  await t.test('a job type with live jobs or active recipe types cannot be deleted', async (t) => {
    const id = await createJobType(client, { name: 'slow', script: 'sleep 600' });
    const job = await queueJob(client, id);
    t.strictSame(await reasonsOf(t, second, pathOf('slow')), [`the job ${job} has not ended`]);
    t.equal((await first.call('POST', '/v6/recipe-types/', one('slow'))).status, 201);
    const reasons = await reasonsOf(t, first, pathOf('slow'));
    t.ok(reasons.includes(`the recipe type 'of-slow' is active and contains it`), reasons.join());
    await client.post('/v6/jobs/cancel/', { job_ids: [job] });
    await jobIs(client, job, ['CANCELED']);
    await client.patch('/v6/recipe-types/of-slow/', { is_active: false });
    t.match(await second.call('DELETE', `${pathOf('slow')}?dry_run=true`), { body: { outcome: 'hidden' } });
    t.equal((await second.call('DELETE', pathOf('slow'))).status, 204);
    await isGone(t, world, pathOf('slow'));

    t.match(await first.call('GET', `/v6/jobs/${job}/`), {
      status: 200,
      body: { status: 'CANCELED', job_type: { id, name: 'slow' } },
    });
    for (const choice of [{ job_ids: [job] }, { job_type_ids: [id] }]) {
      for (const dry of ['', '?dry_run=true']) {
        const refused = await first.call('POST', `/v6/jobs/requeue/${dry}`, choice);
        t.match(refused, { status: 409, body: { errors: [{ name: 'DELETED' }] } }, JSON.stringify(choice));
      }
    }
    t.match(await first.call('POST', '/v6/jobs/requeue/?dry_run=true', { status: 'CANCELED' }), {
      status: 200,
      body: { job_count: 0 },
    });
    t.equal((await second.call('POST', '/v6/jobs/', { job_type_id: id, input: NOTHING })).status, 400);
    t.equal((await second.call('POST', '/v6/recipe-types/', { ...one('slow'), name: 'other' })).status, 400);
    t.equal(
      (await second.call('PATCH', '/v6/recipe-types/of-slow/', { is_active: true })).status,
      409,
      'what contains it cannot be active again',
    );
  });

  await t.test('a create brings a job type back, with its id and a further revision', async (t) => {
    const before = (await first.call('GET', '/v6/job-types/?name=slow')).body;
    t.notOk(
      before?.results?.some((type: { name: string }) => type.name === 'slow'),
      'in no list',
    );
    const id = await createJobType(second.client, { name: 'slow', script: 'true' });
    const { status, body } = await first.call('GET', pathOf('slow'));
    t.match(
      { status, body },
      { status: 200, body: { id, revision_num: 2, is_active: true, deprecated: null } },
    );
    t.ok(body.object_version >= 3);
    const job = await queueJob(client, id);
    await jobIs(client, job, ['COMPLETED']);
    t.strictSame(await livesOf(first, 'job_type', id, 3), ['created', 'removed', 'created']);
  });

  await t.test('recipe types, datasets and batches are deleted', (t) => recipesAndBatches(t, world));

  await t.test('a job created before a deletion prevents it, and a job created after it is refused', (t) =>
    races(t, world),
  );

  await t.test('system types cannot be deleted, and /api/ has no DELETE', async (t) => {
    t.equal((await first.call('DELETE', '/v6/job-types/millrace-strike/1.0.0/')).status, 409);
    t.equal((await first.call('DELETE', `/api${pathOf('quick')}`)).status, 405);
    t.equal((await first.call('GET', pathOf('quick'))).status, 200);
    const audited = await first.call('GET', '/v6/audit/?method=DELETE');
    t.ok(
      audited.body.results.some((entry: { path: string }) => entry.path === pathOf('slow')),
      'in the audit log',
    );
  });
});

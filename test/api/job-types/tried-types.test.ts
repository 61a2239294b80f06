/** What a trial of a job type takes, and what it refuses. */
import t from 'tap';
import { jobTypeViewRoutes } from '../../../src/api/job-types/view-routes.ts';
import { metricsRoutes } from '../../../src/api/metrics/routes.ts';
import { makeCaller } from '../../support/http.ts';
import { jobTypeBody, processingWorld } from '../../support/worlds/processing-world.ts';

async function triesWorld(t: { teardown(handler: () => Promise<void>): void }) {
  const world = await processingWorld(t);
  const fileId = await world.file({ fileName: 'in.txt' });
  const body = { ...jobTypeBody(), input: { files: { INPUT_TEXT: [fileId] }, json: { LIMIT: 5 } } };
  return { world, body, count: async () => (await world.get('/v6/job-types/')).json.count };
}

t.test('trials: the problems of all documents are listed at once, and nothing is created', async (t) => {
  const { world, body } = await triesWorld(t);
  const placesOf = (answer: Awaited<ReturnType<typeof world.post>>) =>
    (answer.json.errors as { path: string }[]).map(({ path }) => path);
  const wrong = await world.post('/v6/job-types/try/', {
    ...body,
    manifest: { ...(jobTypeBody().manifest as object), seedVersion: '2' },
    configuration: { priority: 'high' },
    input: { files: [] },
  });
  t.match(wrong, { status: 400, json: { code: 'INVALID_DEFINITION' } });
  t.strictSame(placesOf(wrong), ['manifest.seedVersion', 'configuration.priority', 'input.files']);
  const formless = await world.post('/v6/job-types/try/', { manifest: {}, input: { other: 1 } });
  t.equal(formless.status, 400);
  for (const path of ['container_image', 'manifest.seedVersion', 'manifest.job', 'input.other'])
    t.ok(placesOf(formless).includes(path), path);
  const unfit = await world.post('/v6/job-types/try/', {
    ...body,
    input: { files: { INPUT_TEXT: [9_999] }, json: {} },
  });
  t.match(unfit, {
    status: 400,
    json: { errors: [{ name: 'UNKNOWN_FILE', path: 'input.files.INPUT_TEXT[0]' }] },
  });
  const extra = await world.post('/v6/job-types/try/', { ...body, max_tries: 3 });
  t.match(extra, { status: 400, json: { errors: [{ path: 'max_tries' }] } });
  t.strictSame(world.sent, [], 'no job was queued');
  t.strictSame(await world.store.rows(`select from job_type where name like '~%'`), []);
});

t.test('trials: an account has a limited number at once and within an hour', async (t) => {
  const { world, body } = await triesWorld(t);
  const names: string[] = [];
  for (let at = 0; at < 5; at++) {
    const tried = await world.post('/v6/job-types/try/', body);
    t.equal(tried.status, 201, tried.text);
    names.push(tried.json.job_type.name);
  }
  t.equal(new Set(names).size, 5);
  const sixth = await world.post('/v6/job-types/try/', body);
  t.match(sixth, { status: 409, json: { code: 'CONFLICT', detail: /5 trials that have not ended/ } });
  const { rows } = world.store;
  await rows(`update job set status = 'COMPLETED', ended = now()`);
  t.equal((await world.post('/v6/job-types/try/', body)).status, 201, 'ended ones make room');
  await rows(`insert into job_type (name, version, title, container_image, created, last_modified, deleted, expires,
      tried_by) select '~' || n, '1', '', '', now(), now(), now(), now(), 0 from generate_series(1, 94) n`);
  await rows(`insert into event (id, type, occurred) values (99999, 'USER', now())`);
  await rows(`insert into job (id, shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status,
      max_tries, priority, created, ended, last_status_change, last_modified)
    select 90000 + t.id, 0, 'job', 90000 + t.id, t.id, (select min(id) from job_type_rev), 99999, 'COMPLETED', 1, 1,
      now(), now(), now(), now() from job_type t where t.name like '~%' and t.title = ''`);
  const last = await world.post('/v6/job-types/try/', body);
  t.match(last, { status: 409, json: { detail: /100 trials within an hour/ } });
});

t.test('trials: secret settings reach the job, and no list shows the type', async (t) => {
  const { world, body, count } = await triesWorld(t);
  const before = await count();
  const tried = await world.post('/v6/job-types/try/', body);
  t.equal(tried.status, 201, tried.text);
  t.notMatch(tried.text, /hush/, 'no secret is shown');
  t.equal(await count(), before);
  const { id, name, version } = tried.json.job_type;
  const path = `/v6/job-types/${encodeURIComponent(name)}/${version}/`;
  t.equal((await world.get(path)).status, 404);
  t.equal((await world.get('/v6/jobs/')).json.count, 0);
  t.equal((await world.get(`/v6/jobs/?job_type_id=${id}`)).json.count, 0);
  const { sql } = world.store.db;
  const { get } = makeCaller([...jobTypeViewRoutes, ...metricsRoutes], { sql });
  t.equal((await get(`${path}used/`)).status, 404);
  const found = 'select id from error where job_type_name = $1';
  const [error] = await sql.execute<{ id: number }>(found, [name]);
  if (error === undefined) throw new Error('the error of the manifest has no row');
  for (const [type, choice] of [
    ['job-types', id],
    ['errors', error.id],
  ]) {
    const { choices } = (await get(`/v6/metrics/${type}/`)).json as { choices: { id: number }[] };
    t.notOk(
      choices.some((one) => one.id === choice),
      `no choice of the metrics of ${type}`,
    );
    const plot = await get(`/v6/metrics/${type}/plot-data/?choice_id=${choice}`);
    t.equal(plot.status, 400, 'and none of their figures');
  }
});

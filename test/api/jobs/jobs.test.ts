import t from 'tap';
import { JOB_ORDER } from '../../../src/api/jobs/routes.ts';
import { KernelError, shardOf } from '../../../src/kernel/mod.ts';
import { makeEnd, makeExecutionEnd, makeStart, savedJob, savedRecipe } from '../../store/make.ts';
import { NOW } from '../../store/store-world.ts';
import { jobTypeBody, type ProcessingWorld, processingWorld } from '../../support/worlds/processing-world.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** A world with the job type `counter`; its id, and a body that queues a job of it. */
async function counterWorld(t: Teardown): Promise<{
  world: ProcessingWorld;
  typeId: number;
  body: { job_type_id: number; input: Record<string, unknown> };
  fileId: number;
}> {
  const world = await processingWorld(t);
  const { json } = await world.post('/v6/job-types/', jobTypeBody());
  const fileId = await world.file({ size: 3 * 1024 * 1024, fileName: 'in.txt' });
  const body = { job_type_id: json.id, input: { files: { INPUT_TEXT: [fileId] }, json: { LIMIT: 5 } } };
  return { world, typeId: json.id, body, fileId };
}

t.test('jobs: POST has the actor queue the job, and answers with the details', async (t) => {
  const { world, typeId, body, fileId } = await counterWorld(t);

  const made = await world.post('/v6/jobs/', body);

  t.equal(made.status, 201, made.text);
  const { id } = made.json;
  t.equal(made.headers.get('location'), `http://localhost:8080/v6/jobs/${id}/`);
  const asked = world.sent.at(-1);
  t.strictSame(asked?.to, { kind: 'job', key: String(id) });
  t.match(asked, { isNew: true, message: { type: 'queue', job: { id, shard: shardOf('job', String(id)) } } });
  t.match(made.json, {
    status: 'QUEUED',
    num_exes: 1,
    max_tries: 3,
    job_type: { id: typeId, name: 'counter', is_active: true },
    job_type_rev: { job_type: { id: typeId }, revision_num: 1, container_image: 'counter:1' },
    event: { type: 'USER', rule: null, description: { user: 'Anonymous' } },
    recipe: null,
    batch: null,
    node: null,
    error: null,
    execution: null,
    started: null,
    input_file_size: 3,
    input_files: { INPUT_TEXT: ['in.txt'] },
    input: { files: { INPUT_TEXT: [fileId] }, json: { LIMIT: 5 } },
    resources: { resources: { cpus: 1.5, mem: 128, disk: 3, gpus: 0 } },
    configuration: { priority: 50, settings: { LEVEL: 'high' } },
  });
  t.strictSame(made.json.output, { files: {}, json: {} });
  t.type(made.json.queued, 'string');
  t.strictSame((await world.get(`/v6/jobs/${id}/`)).json, made.json);
});

t.test('jobs: sections of a job’s configuration replace those of its type, without secrets', async (t) => {
  const { world, body } = await counterWorld(t);
  const configuration = { priority: 7, settings: { PASSWORD: 'mine', LEVEL: 'low' } };

  const made = await world.post('/v6/jobs/', { ...body, configuration });

  t.equal(made.status, 201, made.text);
  t.match(made.json.configuration, {
    priority: 7,
    output_workspaces: { default: 'out' },
    mounts: { DATA: { type: 'host' } },
  });
  t.strictSame(made.json.configuration.settings, { LEVEL: 'low' });
  t.match(made.headers.get('warning'), /SECRET_IGNORED: 'PASSWORD'/);
  t.notMatch(JSON.stringify(world.sent), /mine/, 'no secret is sent on');
});

t.test('jobs: the job of a tried type has the form of any job', async (t) => {
  const { world, body } = await counterWorld(t);
  const { container_image, manifest, configuration } = jobTypeBody();
  const tried = await world.post('/v6/job-types/try/', {
    container_image,
    manifest,
    configuration,
    input: body.input,
  });
  const made = await world.post('/v6/jobs/', body);
  t.equal(tried.status, 201, tried.text);
  const fieldsOf = ({ json }: typeof made) =>
    Object.entries(json).map(([name, value]) => [name, typeof value]);
  t.strictSame(fieldsOf(tried), fieldsOf(made));
});

/** What is wrong, the body, and the problem's name and path. */
type Refusal = [what: string, body: Record<string, unknown>, name: string, path: string];

function refusals(
  body: { job_type_id: number; input: object },
  ids: Record<'file' | 'gone' | 'ingest', number>,
): Refusal[] {
  const { file: fileId, gone, ingest } = ids;
  const files = (...ids: unknown[]) => ({ ...body, input: { files: { INPUT_TEXT: ids } } });
  return [
    ['no type', { input: {} }, 'MISSING_FIELD', 'job_type_id'],
    ['a type that is a text', { ...body, job_type_id: '1' }, 'WRONG_TYPE', 'job_type_id'],
    ['a type beyond int8', { ...body, job_type_id: 2 ** 63 }, 'OUT_OF_RANGE', 'job_type_id'],
    ['an unknown type', { ...body, job_type_id: 999_999 }, 'UNKNOWN_REFERENCE', 'job_type_id'],
    ['a system type', { ...body, job_type_id: ingest }, 'UNKNOWN_REFERENCE', 'job_type_id'],
    ['no input', { job_type_id: body.job_type_id }, 'MISSING_FIELD', 'input'],
    ['an input that is null', { ...body, input: null }, 'MISSING_FIELD', 'input'],
    ['a required file that is missing', { ...body, input: {} }, 'PARAM_REQUIRED', 'input.files.INPUT_TEXT'],
    ['no file', files(), 'INVALID_DATA', 'input.files.INPUT_TEXT'],
    ['two files for one', files(fileId, fileId), 'MULTIPLE_FILES', 'input.files.INPUT_TEXT'],
    ['a file id that is a text', files('1'), 'INVALID_DATA', 'input.files.INPUT_TEXT[0]'],
    ['an unknown file', files(999_999), 'UNKNOWN_FILE', 'input.files.INPUT_TEXT[0]'],
    ['a deleted file', files(gone), 'DELETED_FILE', 'input.files.INPUT_TEXT[0]'],
    [
      'a value of another type',
      { ...body, input: { ...body.input, json: { LIMIT: '5' } } },
      'INVALID_JSON_TYPE',
      'input.json.LIMIT',
    ],
    [
      'JSON values of more than 1 MiB',
      { ...body, input: { ...body.input, json: { NOTE: 'ü'.repeat(524_288) } } },
      'INVALID_DATA',
      'input.json',
    ],
    [
      'an unknown member of the input',
      { ...body, input: { ...body.input, other: {} } },
      'INVALID_DATA',
      'input.other',
    ],
    [
      'an unknown workspace',
      { ...body, configuration: { output_workspaces: { default: 'nowhere' } } },
      'INVALID_WORKSPACE',
      'configuration.output_workspaces.default',
    ],
    [
      'a priority of 0',
      { ...body, configuration: { priority: 0 } },
      'INVALID_PRIORITY',
      'configuration.priority',
    ],
    [
      'an unknown section',
      { ...body, configuration: { colour: 1 } },
      'INVALID_CONFIGURATION',
      'configuration.colour',
    ],
    ['a configuration that is a text', { ...body, configuration: 'x' }, 'WRONG_TYPE', 'configuration'],
  ];
}

t.test('jobs: POST refuses each wrong field, and asks no actor', async (t) => {
  const { world, body, fileId } = await counterWorld(t);
  const gone = await world.file();
  await world.store.rows('update file set is_deleted = true where id = $1', [gone]);
  const askedBefore = world.sent.length;
  const ingest = (await world.get('/v6/job-types/millrace-ingest/1.0.0/')).json.id;
  const cases = refusals(body, { file: fileId, gone, ingest });
  for (const [what, sent, name, path] of cases) {
    const refused = await world.post('/v6/jobs/', sent);
    t.equal(refused.status, 400, what);
    t.ok(
      refused.json.errors.some(
        (error: { name: string; path: string }) => error.name === name && error.path === path,
      ),
      `${what}: ${name} at ${path} in ${refused.text}`,
    );
  }
  const twice = { ...body, input: { files: { INPUT_TEXT: [999_999] } }, configuration: { priority: 0 } };
  const both = await world.post('/v6/jobs/', twice);
  t.equal(both.json.errors.length, 2, 'all problems at once');
  const noType = {
    job_type_id: 999_999,
    input: { files: { INPUT_TEXT: [-1] } },
    configuration: { priority: 0 },
  };
  for (const sent of [noType, { ...noType, job_type_id: 'x' }]) {
    const refused = await world.post('/v6/jobs/', sent);
    t.strictSame(
      refused.json.errors.map((error: { path: string }) => error.path),
      ['job_type_id', 'input.files.INPUT_TEXT[0]', 'configuration.priority'],
      'problems that do not depend on the type are reported without it',
    );
  }
  await world.patch('/v6/job-types/counter/1.0.0/', { is_active: false });
  t.match(
    (await world.post('/v6/jobs/', body)).json,
    { errors: [{ path: 'job_type_id' }] },
    'a deprecated type',
  );
  t.equal(world.sent.filter((one) => one.to.kind === 'job').length, 0);
  const heard = world.sent.slice(askedBefore).map((one) => one.to.kind);
  t.strictSame(heard.sort(), ['scheduler', 'type_update'], 'who hears of edits');
  t.equal((await world.get('/v6/jobs/')).json.count, 0);
});

t.test('jobs: POST answers 503 if the owner cannot be reached', async (t) => {
  const { world, body } = await counterWorld(t);
  world.failWith = new KernelError({ code: 'NOT_OWNER', message: 'nobody holds the shard' });
  const refused = await world.post('/v6/jobs/', body);
  t.equal(refused.status, 503);
  t.ok(refused.headers.get('retry-after'));
});

t.test('jobs: details show the current execution, the node, the error and the output', async (t) => {
  const { world, body } = await counterWorld(t);
  const { id } = (await world.post('/v6/jobs/', body)).json;
  const start = await makeStart(world.store, id);
  await world.store.apply({ type: 'startExecutions', starts: [start] });

  const running = (await world.get(`/v6/jobs/${id}/`)).json;
  t.match(running, {
    status: 'RUNNING',
    node: { hostname: 'one' },
    execution: { exe_num: 1, status: 'RUNNING' },
  });

  const made = await world.file();
  const output = { files: { COUNTS: [made] }, json: { TOTAL: 9 } };
  await world.store.apply(
    { type: 'moveJobs', moves: [makeEnd(id, { output, atMs: NOW + 60_000 })] },
    { type: 'endExecutions', ends: [makeExecutionEnd(start.executionId, { output, atMs: NOW + 60_000 })] },
  );
  const ended = (await world.get(`/v6/jobs/${id}/`)).json;
  t.match(ended, {
    status: 'COMPLETED',
    output,
    execution: {
      id: start.executionId,
      status: 'COMPLETED',
      cluster_id: `millrace_job_${id}x1`,
      job: { id },
      timeout: 60,
      output: { output_data: [{ name: 'COUNTS', file_id: made }], ...output },
      job_type: { name: 'counter' },
    },
  });
  t.type(ended.ended, 'string');
});

t.test('jobs: a canceled job shows its execution, if it had one', async (t) => {
  const { world, body } = await counterWorld(t);
  const cancel = (jobId: number) => ({
    ...({
      kind: 'status',
      jobId,
      from: ['QUEUED', 'RUNNING'],
      exeNum: 1,
      to: 'CANCELED',
      atMs: NOW,
    } as const),
  });
  const [ran, waited] = [
    (await world.post('/v6/jobs/', body)).json.id,
    (await world.post('/v6/jobs/', body)).json.id,
  ];
  const start = await makeStart(world.store, ran);
  await world.store.apply({ type: 'startExecutions', starts: [start] });
  await world.store.apply({ type: 'moveJobs', moves: [cancel(ran), cancel(waited)] });
  t.match((await world.get(`/v6/jobs/${ran}/`)).json, {
    status: 'CANCELED',
    execution: { id: start.executionId, status: 'RUNNING' },
  });
  const end = makeExecutionEnd(start.executionId, { status: 'CANCELED' });
  await world.store.apply({ type: 'endExecutions', ends: [end] });
  t.match((await world.get(`/v6/jobs/${ran}/`)).json, { execution: { status: 'CANCELED' } });
  t.match((await world.get(`/v6/jobs/${waited}/`)).json, { status: 'CANCELED', execution: null });
});

t.test('jobs: a failed job shows its registered error', async (t) => {
  const world = await processingWorld(t);
  const job = await savedJob(world.store);
  await world.store.apply({
    type: 'moveJobs',
    moves: [makeEnd(job.id, { to: 'FAILED', error: { name: 'bad-data', isBuiltin: false } })],
  });
  t.match((await world.get(`/v6/jobs/${job.id}/`)).json, {
    status: 'FAILED',
    error: { name: 'bad-data', category: 'DATA', job_type_name: 'type-a', is_builtin: false },
  });
  const countWhere = async (query: string) => (await world.get(`/v6/jobs/?${query}`)).json.count;
  t.equal(await countWhere('error_category=DATA'), 1);
  t.equal(await countWhere('error_category=SYSTEM'), 0);
  const error = await world.store.one<{ id: number }>(`select id from error where name = 'bad-data'`);
  t.equal(await countWhere(`error_id=${error.id}`), 1);
  t.equal(await countWhere('error_id=999'), 0);
  const running = await savedJob(world.store);
  await world.store.apply({ type: 'startExecutions', starts: [await makeStart(world.store, running.id)] });
  t.equal(await countWhere(`running_node_id=${world.store.ids.node}`), 1, 'not the one that has ended there');
  t.equal(await countWhere(`running_node_id=${world.store.ids.node2}`), 0);
});

t.test('jobs: the list has the fields of details, except those that the document omits', async (t) => {
  const { world, body } = await counterWorld(t);
  await world.post('/v6/jobs/', body);
  const [item] = (await world.get('/v6/jobs/')).json.results;
  for (const field of ['resources', 'execution', 'input', 'output', 'configuration', 'superseded_by_job']) {
    t.notOk(field in item, field);
  }
  t.strictSame(item.input_files, { INPUT_TEXT: ['in.txt'] });
});

t.test('jobs: the list is filtered', async (t) => {
  const world = await processingWorld(t);
  const { store } = world;
  const recipe = await savedRecipe(store);
  const first = await savedJob(store, { recipeId: recipe.id, recipeIds: [recipe.id], recipeNode: 'a' });
  const second = await savedJob(store, { jobTypeId: store.ids.type2, atMs: NOW + 10_000 });
  const third = await savedJob(store, { status: 'PENDING', atMs: NOW + 20_000 });
  await store.rows('update job set source_started = null');
  await store.rows(
    `update job set source_sensor_class = 'SAR', source_sensor = 's1', source_collection = 'c1',
       source_task = 't1',
       source_started = to_timestamp(100), source_ended = to_timestamp(200) where id = $1`,
    [second.id],
  );
  const ids = async (query: string): Promise<number[]> => {
    const { status, json, text } = await world.get(`/v6/jobs/?order=id&${query}`);
    t.equal(status, 200, text);
    t.equal(json.count, json.results.length);
    return json.results.map((one: { id: number }) => one.id);
  };
  const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  const cases: [string, number[]][] = [
    ['', [first.id, second.id, third.id]],
    ['status=PENDING', [third.id]],
    ['status=PENDING&status=QUEUED', [first.id, second.id, third.id]],
    ['status=BLOCKED', []],
    [`job_id=${first.id}&job_id=${third.id}`, [first.id, third.id]],
    [`job_type_id=${store.ids.type2}`, [second.id]],
    ['job_type_name=type-b', [second.id]],
    ['job_type_name=nothing', []],
    ['job_type_version=1.0.0&job_type_name=type-b', [second.id]],
    ['job_type_version=9.0.0', []],
    [`recipe_id=${recipe.id}`, [first.id]],
    ['batch_id=1', []],
    ['is_superseded=true', []],
    ['is_superseded=f', [first.id, second.id, third.id]],
    ['source_sensor_class=SAR&source_sensor=s1&source_collection=c1', [second.id]],
    ['source_task=t1', [second.id]],
    ['source_tasks=t1', [second.id]],
    ['source_task=other', []],
    [`source_started=${at(100_000)}`, [second.id]],
    [`source_started=${at(100_001)}`, []],
    [`source_ended=${at(200_000)}`, [second.id]],
    [`source_ended=${at(199_999)}`, []],
    [`started=${at(NOW + 10_000)}`, [second.id, third.id]],
    [`started=${at(NOW)}&ended=${at(NOW + 10_000)}`, [first.id, second.id]],
  ];
  for (const [query, wanted] of cases) t.strictSame(await ids(query), wanted, query);
});

t.test('jobs: every documented order works, and pages neither overlap nor omit jobs', async (t) => {
  const world = await processingWorld(t);
  const made = [];
  for (let n = 0; n < 5; n++) made.push((await savedJob(world.store)).id);
  for (const field of [...JOB_ORDER, 'id']) {
    for (const order of [field, `-${field}`]) {
      const seen: number[] = [];
      for (const page of [1, 2, 3]) {
        const { status, json, text } = await world.get(`/v6/jobs/?order=${order}&page=${page}&page_size=2`);
        t.equal(status, 200, text);
        seen.push(...json.results.map((one: { id: number }) => one.id));
      }
      t.strictSame(
        [...seen].sort((a, b) => a - b),
        made,
        order,
      );
    }
  }
});

t.test('jobs: wrong parameters are named', async (t) => {
  const world = await processingWorld(t);
  const cases: [string, string][] = [
    ['status=DONE', 'status'],
    ['error_category=OTHER', 'error_category'],
    ['job_id=x', 'job_id'],
    ['job_id=0', 'job_id'],
    ['is_superseded=2', 'is_superseded'],
    ['order=input', 'order'],
    ['started=yesterday', 'started'],
    ['source_started=2026-01-02T00:00:00Z&source_ended=2026-01-01T00:00:00Z', 'source_started'],
    ['page_size=0', 'page_size'],
  ];
  for (const [query, path] of cases) {
    const refused = await world.get(`/v6/jobs/?${query}`);
    t.equal(refused.status, 400, query);
    t.equal(refused.json.errors[0].path, path, query);
  }
  for (const id of ['999999', '0', 'x', '9'.repeat(20)])
    t.equal((await world.get(`/v6/jobs/${id}/`)).status, 404, id);
});

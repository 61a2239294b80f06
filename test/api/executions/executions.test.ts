import t from 'tap';
import { makeExecutionEnd, makeQueue, makeStart, savedJob } from '../../store/make.ts';
import { NOW, type StoreWorld } from '../../store/store-world.ts';
import { processingWorld } from '../../support/worlds/processing-world.ts';

/** A job whose first execution failed and whose second runs. */
async function twiceExecuted(store: StoreWorld): Promise<{ jobId: number; exeIds: readonly number[] }> {
  const { id: jobId } = await savedJob(store);
  const first = await makeStart(store, jobId);
  await store.apply({ type: 'startExecutions', starts: [first] });
  const error = { name: 'bad-data', isBuiltin: false };
  await store.apply(
    { type: 'moveJobs', moves: [makeQueue(jobId, ['RUNNING'], 1)] },
    { type: 'endExecutions', ends: [makeExecutionEnd(first.executionId, { status: 'FAILED', error })] },
  );
  const second = await makeStart(store, jobId, { exeNum: 2, nodeId: store.ids.node2 });
  await store.apply({ type: 'startExecutions', starts: [second] });
  return { jobId, exeIds: [first.executionId, second.executionId] };
}

async function write(
  store: StoreWorld,
  exeId: number,
  chunks: readonly (readonly ['stdout' | 'stderr', number, string | Buffer])[],
): Promise<void> {
  const seqs = { stdout: 0, stderr: 0 };
  for (const [stream, atMs, text] of chunks) {
    const content = Buffer.from(text);
    await store.rows(`insert into job_log values ($1, $2, $3, to_timestamp($4 / 1000.0), $5)`, [
      exeId,
      stream,
      seqs[stream],
      atMs,
      content,
    ]);
    seqs[stream] += content.length;
  }
}

t.test('executions: the list is sorted newest first, and filtered', async (t) => {
  const world = await processingWorld(t);
  const { store } = world;
  const { jobId } = await twiceExecuted(store);
  const nums = async (query: string): Promise<number[]> => {
    const { status, json, text } = await world.get(`/v6/jobs/${jobId}/executions/?${query}`);
    t.equal(status, 200, text);
    t.equal(json.count, json.results.length);
    return json.results.map((one: { exe_num: number }) => one.exe_num);
  };
  const error = await store.one<{ id: number }>(`select id from error where name = 'bad-data'`);

  t.strictSame(await nums(''), [2, 1]);
  t.strictSame(await nums('status=RUNNING'), [2]);
  t.strictSame(await nums('status=RUNNING&status=FAILED'), [2, 1]);
  t.strictSame(await nums('status=CANCELED'), []);
  t.strictSame(await nums(`node_id=${store.ids.node}`), [1]);
  t.strictSame(await nums(`error_id=${error.id}`), [1]);
  t.strictSame(await nums('error_category=DATA'), [1]);
  t.strictSame(await nums('error_category=SYSTEM'), []);
  for (const query of ['status=QUEUED', 'node_id=x', 'error_id=0', 'error_category=data', 'page=0']) {
    t.equal((await world.get(`/v6/jobs/${jobId}/executions/?${query}`)).status, 400, query);
  }
  t.equal((await world.get('/v6/jobs/999999/executions/')).status, 404);
});

t.test('executions: details describe each try, and an unknown one is 404', async (t) => {
  const world = await processingWorld(t);
  const { jobId, exeIds } = await twiceExecuted(world.store);

  const first = await world.get(`/v6/jobs/${jobId}/executions/1/`);
  t.equal(first.status, 200, first.text);
  t.match(first.json, {
    id: exeIds[0],
    status: 'FAILED',
    error: { name: 'bad-data' },
    node: { hostname: 'one' },
    job: { id: jobId },
    output: { output_data: [], files: {}, json: {} },
  });
  t.match(JSON.stringify(first.json.task_results), /main/);
  t.match((await world.get(`/v6/jobs/${jobId}/executions/2/`)).json, {
    status: 'RUNNING',
    ended: null,
    error: null,
    node: { hostname: 'two' },
    resources: { resources: { cpus: 1 } },
  });
  for (const path of [`${jobId}/executions/3/`, `${jobId}/executions/x/`, '999999/executions/1/']) {
    t.equal((await world.get(`/v6/jobs/${path}`)).status, 404, path);
  }
});

t.test('executions: details show used resources, the image, and how much output was cut off', async (t) => {
  const { store, get } = await processingWorld(t);
  const { id: jobId } = await savedJob(store);
  const start = await makeStart(store, jobId);
  await store.apply({ type: 'startExecutions', starts: [start] });
  const path = `/v6/jobs/${jobId}/executions/1/`;
  t.match((await get(path)).json, { used: null, image_digest: null, log_cut: null }, 'not before its end');
  const imageDigest = `sha256:${'a'.repeat(64)}`;
  const used = { source: 'cgroup', memoryBytes: 5_000, processorUs: 1_250_000, diskBytes: 2 ** 40 } as const;
  const facts = { used, imageDigest, logCut: { stdout: 7, stderr: 0 } };
  await store.apply({ type: 'endExecutions', ends: [makeExecutionEnd(start.executionId, { facts })] });
  const told = {
    used: {
      source: 'cgroup',
      ...{ memory_bytes: 5_000, processor_seconds: 1.25, disk_bytes: 2 ** 40 },
      ...{ read_bytes: null, written_bytes: null },
    },
    image_digest: imageDigest,
    log_cut: { stdout: 7, stderr: 0 },
  };
  t.match((await get(path)).json, told);
  t.match((await get(`/v6/jobs/${jobId}/executions/`)).json.results[0], told);
});

t.test('logs: lines of both streams are merged by time and never cut into each other', async (t) => {
  const world = await processingWorld(t);
  const { exeIds } = await twiceExecuted(world.store);
  const exeId = exeIds[0] as number;
  const euro = Buffer.from('€');
  await write(world.store, exeId, [
    ['stdout', NOW, 'one\ntw'],
    ['stderr', NOW + 1, 'oops\n'],
    ['stdout', NOW + 2, Buffer.concat([Buffer.from('o '), euro.subarray(0, 1)])],
    ['stdout', NOW + 3, Buffer.concat([euro.subarray(1), Buffer.from('\nlast')])],
  ]);
  const path = `/v6/job-executions/${exeId}/logs`;

  const text = await world.get(`${path}/combined/?format=txt`);
  t.equal(text.text, 'one\noops\ntwo €\nlast');
  t.match(text.headers.get('content-type'), 'text/plain');
  t.equal((await world.get(`${path}/stdout/`, { accept: 'text/plain' })).text, 'one\ntwo €\nlast');
  t.equal((await world.get(`${path}/stderr/?format=txt`)).text, 'oops\n');

  const { json } = await world.get(`${path}/combined/`);
  t.equal(json.hits.total, 4);
  t.match(json.hits.hits, [
    {
      _source: {
        message: 'one',
        scale_order_num: 1,
        stream: 'stdout',
        '@timestamp': '2026-01-02T03:04:05.678Z',
      },
    },
    { _source: { message: 'oops', scale_order_num: 2, stream: 'stderr' } },
    { _source: { message: 'two €' } },
    { _source: { message: 'last' } },
  ]);
  const since = encodeURIComponent(new Date(NOW + 1).toISOString());
  t.equal((await world.get(`${path}/stderr/?format=txt&started=${since}`)).text, 'oops\n');
  const later = encodeURIComponent(new Date(NOW + 2).toISOString());
  t.equal((await world.get(`${path}/stderr/?started=${later}`)).status, 204);
});

t.test('logs: the HTML page of a log shows the output of a job as text only', async (t) => {
  const world = await processingWorld(t);
  const { exeIds } = await twiceExecuted(world.store);
  const exeId = exeIds[0] as number;
  await write(world.store, exeId, [
    ['stdout', NOW, 'one & €\n'],
    ['stderr', NOW + 1, '</pre><script>alert("x")</script>\n'],
  ]);
  const path = `/v6/job-executions/${exeId}/logs`;
  const asked = [
    await world.get(`${path}/combined/?format=html`),
    await world.get(`${path}/combined/`, { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }),
  ];
  for (const { status, headers, text } of asked) {
    t.equal(status, 200);
    t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    t.match(headers.get('content-security-policy'), /^sandbox; default-src 'none'/);
    t.match(text, /<span class="stdout">one &#38; €\n<\/span><span class="stderr">&#60;\/pre&#62;/);
    t.notMatch(text, /<script/);
    t.match(text, /<\/html>\n$/);
  }
  const { text } = await world.get(`${path}/stderr/?format=html`);
  t.notMatch(text, 'class="stdout"');
  t.equal((await world.get(`/v6/job-executions/${exeIds[1]}/logs/stdout/?format=html`)).status, 204);
});

t.test('logs: a long log is sent whole and in order', async (t) => {
  const world = await processingWorld(t);
  const { exeIds } = await twiceExecuted(world.store);
  const exeId = exeIds[1] as number;
  const chunks = Array.from({ length: 200 }, (_, n) => ['stdout', NOW + n, `line ${n}\n`] as const);
  const long = 'x'.repeat(70_000);
  await write(world.store, exeId, [...chunks, ['stderr', NOW + 50, `${long}${long}`]]);

  const { text } = await world.get(`/v6/job-executions/${exeId}/logs/stdout/?format=txt`);
  t.equal(text, chunks.map(([, , line]) => line).join(''));
  const { json } = await world.get(`/v6/job-executions/${exeId}/logs/combined/`);
  t.equal(json.hits.total, 201);
  t.equal(json.hits.hits[51]._source.message.length, 140_000, 'after the line of the same instant');
});

t.test('logs: an empty log is 204, an unknown execution 404, and a wrong query is refused', async (t) => {
  const world = await processingWorld(t);
  const { exeIds } = await twiceExecuted(world.store);
  const path = `/v6/job-executions/${exeIds[0]}/logs`;
  t.equal((await world.get(`${path}/combined/`)).status, 204);
  for (const wrong of [
    '/v6/job-executions/999999/logs/combined/',
    `${path}/stdin/`,
    '/v6/job-executions/x/logs/stdout/',
  ]) {
    t.equal((await world.get(wrong)).status, 404, wrong);
  }
  for (const query of ['format=xml', 'started=soon']) {
    t.equal((await world.get(`${path}/combined/?${query}`)).status, 400, query);
  }
});

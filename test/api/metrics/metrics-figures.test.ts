import t from 'tap';
import { makeQueue } from '../../store/make.ts';
import {
  AT_MS,
  arrived,
  ended,
  fold,
  HOUR_MS,
  hour,
  metricsWorld,
  newScan,
  newStrike,
} from '../../support/worlds/metrics-world.ts';

t.test('metrics of job types: jobs count in the hour of their end, at once and folded', async (t) => {
  const world = await metricsWorld(t);
  const { store, series } = world;
  await ended(store, AT_MS);
  await ended(store, AT_MS + HOUR_MS - 1, { to: 'FAILED', errorName: 'unknown' });
  await fold(world);
  await ended(store, AT_MS + HOUR_MS, { to: 'FAILED', errorName: 'bad-data' });
  await ended(store, AT_MS, { jobTypeId: store.ids.type2 });
  const [first, second] = [hour(AT_MS), hour(AT_MS + HOUR_MS)];
  const expected = {
    completed_count: [
      [first, 2],
      [second, 0],
    ],
    failed_count: [
      [first, 1],
      [second, 1],
    ],
    canceled_count: [
      [first, 0],
      [second, 0],
    ],
    total_count: [
      [first, 3],
      [second, 1],
    ],
    error_system_count: [
      [first, 1],
      [second, 0],
    ],
    error_data_count: [
      [first, 0],
      [second, 1],
    ],
    error_algorithm_count: [
      [first, 0],
      [second, 0],
    ],
  };
  const path = 'job-types/plot-data/?group=overview&group=errors';

  t.strictSame(await series(path), expected);
  await fold(world);
  t.strictSame(await series(path), expected);
});

t.test('metrics of job types: a job that is requeued is not a failure any more', async (t) => {
  const world = await metricsWorld(t);
  const { store, series } = world;
  const id = await ended(store, AT_MS, { to: 'FAILED', errorName: 'unknown' });
  await fold(world);
  const failed = 'job-types/plot-data/?column=failed_count&column=error_system_count';
  t.strictSame(await series(failed), {
    failed_count: [[hour(AT_MS), 1]],
    error_system_count: [[hour(AT_MS), 1]],
  });

  const queue = makeQueue(id, ['FAILED'], 1, { atMs: AT_MS + 2 * HOUR_MS });
  await store.apply({ type: 'moveJobs', moves: [queue] });

  t.strictSame(await series(failed), { failed_count: [], error_system_count: [] });
  const canceled = { kind: 'status', jobId: id, from: ['QUEUED'], exeNum: 2, to: 'CANCELED' } as const;
  await store.apply({ type: 'moveJobs', moves: [{ ...canceled, atMs: AT_MS + 3 * HOUR_MS }] });
  const at = hour(AT_MS + 3 * HOUR_MS);
  t.strictSame(await series('job-types/plot-data/?column=canceled_count&column=failed_count'), {
    canceled_count: [[at, 1]],
    failed_count: [[at, 0]],
  });
});

t.test('metrics of job types: times and averages are those of completed executions', async (t) => {
  const world = await metricsWorld(t);
  const { store, series } = world;
  await ended(store, AT_MS, { mainMs: 1_900 });
  await ended(store, AT_MS, { mainMs: 4_000 });
  await fold(world);
  await ended(store, AT_MS, { mainMs: 10_000, jobTypeId: store.ids.type2 });
  await ended(store, AT_MS, { mainMs: 99_000, to: 'FAILED', errorName: 'unknown' });
  const at = hour(AT_MS);
  const times = await series(
    ['queue', 'pre', 'job', 'post', 'run', 'stage'].reduce(
      (path, group) => `${path}&group=${group}_time`,
      'job-types/plot-data/?page_size=50',
    ),
  );

  t.match(times, {
    job_time_sum: [[at, 15]],
    job_time_min: [[at, 1]],
    job_time_max: [[at, 10]],
    // 15.9 s of three, not the average of 2.9 s and 10 s.
    job_time_avg: [[at, 5]],
    queue_time_avg: [[at, 5]],
    pre_time_sum: [[at, 3]],
    post_time_max: [[at, 1]],
    run_time_sum: [[at, 27]],
    stage_time_min: [[at, 1]],
    stage_time_max: [[at, 1]],
  });
  t.equal(Object.keys(times).length, 24);
});

t.test('metrics of ingests: every end counts, with its size and times', async (t) => {
  const world = await metricsWorld(t);
  const { store, series } = world;
  const strikes = [await newStrike(store), await newStrike(store)] as const;
  await arrived(store, strikes[0], AT_MS, { status: 'INGESTED', size: 100 });
  await arrived(store, strikes[0], AT_MS, { status: 'INGESTED', size: 0 });
  await arrived(store, strikes[0], AT_MS, { status: 'DUPLICATE', size: 41 });
  await fold(world);
  await arrived(store, strikes[1], AT_MS, { status: 'ERRORED', size: 7 });
  await arrived(store, strikes[1], AT_MS, { status: 'DEFERRED', size: 2 });
  const at = hour(AT_MS);

  t.strictSame(await series('ingests/plot-data/'), {
    deferred_count: [[at, 1]],
    ingested_count: [[at, 2]],
    errored_count: [[at, 1]],
    duplicate_count: [[at, 1]],
    total_count: [[at, 5]],
    file_size_sum: [[at, 150]],
    file_size_min: [[at, 0]],
    file_size_max: [[at, 100]],
    file_size_avg: [[at, 30]],
    transfer_time_sum: [[at, 10]],
    transfer_time_min: [[at, 2]],
    transfer_time_max: [[at, 2]],
    transfer_time_avg: [[at, 2]],
    ingest_time_sum: [[at, 7]],
    ingest_time_min: [[at, 3]],
    ingest_time_max: [[at, 3]],
    ingest_time_avg: [[at, 3]],
  });
  t.strictSame(await series(`ingests/plot-data/?column=file_size_sum&choice_id=${strikes[1]}`), {
    file_size_sum: [[at, 9]],
  });
});

t.test('metrics of ingests: ingests of scans are counted separately', async (t) => {
  const world = await metricsWorld(t);
  const { store, series, caller } = world;
  const strike = await newStrike(store);
  const scans = [await newScan(store, 'One'), await newScan(store, 'Two')] as const;
  await arrived(store, strike, AT_MS, { status: 'INGESTED', size: 1 });
  await arrived(store, { kind: 'scan', key: scans[0] }, AT_MS, { status: 'INGESTED', size: 20 });
  await fold(world);
  await arrived(store, { kind: 'scan', key: scans[1] }, AT_MS, { status: 'INGESTED', size: 300 });
  // As it was counted before scans had a type of their own.
  await store.rows(
    `insert into hour_total (kind, subject_id, measure, hour, n, total, least, most)
     select 'ingests', 0, measure, to_timestamp($1::float8 / 1000), 1, 4000, 4000, 4000
     from unnest(array['ingested']) as measure`,
    [AT_MS],
  );
  const at = hour(AT_MS);
  const columns = 'column=ingested_count&column=file_size_sum&column=file_size_avg';
  const figures = (count: number, sum: number) => ({
    ingested_count: [[at, count]],
    file_size_sum: [[at, sum]],
    file_size_avg: [[at, Math.trunc(sum / count)]],
  });

  t.strictSame(await series(`ingests/plot-data/?${columns}`), figures(1, 1), 'the sum of its choices');
  t.strictSame(await series(`ingests/plot-data/?${columns}&choice_id=${strike}`), figures(1, 1));
  t.strictSame(await series(`scan-ingests/plot-data/?${columns}`), figures(3, 4_320));
  t.strictSame(await series(`scan-ingests/plot-data/?${columns}&choice_id=${scans[0]}`), figures(1, 20));
  t.strictSame(
    await series(`scan-ingests/plot-data/?column=file_size_sum&choice_id=${scans[0]}&choice_id=${scans[1]}`),
    {
      file_size_sum: [
        [at, 20, scans[0]],
        [at, 300, scans[1]],
      ],
    },
  );
  const { json } = await caller.get('/v6/metrics/scan-ingests/');
  t.match(json, { name: 'scan-ingests', title: 'Scan Ingests', filters: [{ param: 'name' }] });
  t.match(json.choices, [
    { id: scans[0], title: 'One', description: '', job: { id: Number } },
    { id: scans[1], title: 'Two' },
  ]);
  const unknown = await caller.get(`/v6/metrics/ingests/plot-data/?choice_id=${scans[1]}`);
  t.equal(unknown.status, 400, 'a scan is no choice of the strikes');
});

t.test('metrics of ingests: the wait between two tries does not count as transfer time', async (t) => {
  const { store, series } = await metricsWorld(t);
  const strike = await newStrike(store);
  const [filePath, laterMs] = ['f/late', AT_MS + 4 * HOUR_MS];
  const first = await arrived(store, strike, AT_MS, { status: 'DEFERRED', size: 7, filePath });
  const again = await arrived(store, strike, laterMs, { status: 'INGESTED', size: 7, filePath });
  t.equal(again, first, 'the same ingest');
  t.strictSame(await series('ingests/plot-data/?column=transfer_time_sum&column=transfer_time_max'), {
    transfer_time_sum: [[hour(laterMs), 2]],
    transfer_time_max: [[hour(laterMs), 2]],
  });
});

t.test('metrics of errors: executions count under the error that ended them', async (t) => {
  const { store, series } = await metricsWorld(t);
  await ended(store, AT_MS, { to: 'FAILED', errorName: 'unknown' });
  await ended(store, AT_MS, { to: 'FAILED', errorName: 'bad-data' });
  await ended(store, AT_MS, { to: 'FAILED', errorName: 'bad-data' });
  await ended(store, AT_MS);
  const { id } = await store.one<{ id: number }>(`select id from error where name = 'bad-data'`);
  const at = hour(AT_MS);

  t.strictSame(await series('errors/plot-data/'), { total_count: [[at, 3]] });
  t.strictSame(await series(`errors/plot-data/?choice_id=${id}`), { total_count: [[at, 2]] });
});

import t from 'tap';
import { METRICS_TYPES } from '../../../src/domain/metrics/metrics-types.ts';
import {
  AT_MS,
  ended,
  HOUR_MS,
  hour,
  iso,
  metricsWorld,
  newStrike,
} from '../../support/worlds/metrics-world.ts';

t.test('metrics: the types are listed, page by page, with their filters and columns', async (t) => {
  const { caller } = await metricsWorld(t);
  const { json } = await caller.get('/v6/metrics/');
  t.equal(json.count, 4);
  t.strictSame(
    // biome-ignore lint/suspicious/noExplicitAny: items of the answer
    json.results.map((type: any) => [
      type.name,
      type.title,
      // biome-ignore lint/suspicious/noExplicitAny: items of the answer
      type.groups.map((group: any) => group.name).join(),
      type.columns.length,
    ]),
    [
      ['errors', 'Errors', 'overview', 1],
      ['ingests', 'Ingests', 'overview,file_size,transfer_time,ingest_time', 17],
      [
        'job-types',
        'Job Types',
        'overview,errors,queue_time,pre_time,job_time,post_time,run_time,stage_time',
        31,
      ],
      ['scan-ingests', 'Scan Ingests', 'overview,file_size,transfer_time,ingest_time', 17],
    ],
  );
  const second = await caller.get('/v6/metrics/?page=2&page_size=1');
  t.match(second.json, {
    count: 4,
    results: [{ name: 'ingests' }],
    next: /page=3/,
    previous: /page_size=1$/,
  });
  t.match((await caller.get('/v6/metrics/?page=9')).json, { count: 4, results: [], next: null });
});

t.test('metrics: columns have the documented names, titles and groups', async (t) => {
  for (const type of METRICS_TYPES) {
    const names = type.columns.map((column) => column.name);
    t.equal(new Set(names).size, names.length, `${type.name}: no name twice`);
    for (const column of type.columns) {
      t.ok(
        type.groups.some((group) => group.name === column.group),
        `${column.name} is in a group`,
      );
      if (column.units === 'count') t.equal(column.aggregate, 'sum', column.name);
      else t.ok(column.name.endsWith(`_${column.aggregate}`), column.name);
    }
  }
  const { caller } = await metricsWorld(t);
  const { json } = await caller.get('/v6/metrics/job-types/');
  // biome-ignore lint/suspicious/noExplicitAny: items of the answer
  const stage = json.columns.filter((column: any) => column.group === 'stage_time');
  t.match(stage, [
    { name: 'stage_time_sum', title: 'Stage Time (Sum)', units: 'seconds', aggregate: 'sum' },
    { name: 'stage_time_min', title: 'Stage Time (Min)', aggregate: 'min' },
    { name: 'stage_time_max', title: 'Stage Time (Max)', aggregate: 'max' },
    { name: 'stage_time_avg', title: 'Stage Time (Avg)', aggregate: 'avg' },
  ]);
  t.notOk('measures' in stage[0], 'how a column is made is not told');
});

t.test('metrics: details have the choices of the type', async (t) => {
  const { store, caller } = await metricsWorld(t);
  const strikeId = await newStrike(store);
  const choices = async (name: string) => (await caller.get(`/v6/metrics/${name}/`)).json.choices;

  const types = await choices('job-types');
  t.match(
    // biome-ignore lint/suspicious/noExplicitAny: items of the answer
    types.find((type: any) => type.id === store.ids.type),
    { name: 'type-a', version: '1.0.0', title: 'A', is_active: true, is_system: false, icon_code: null },
  );
  t.match(await choices('ingests'), [{ id: strikeId, title: 'S', description: '', job: { id: Number } }]);
  const errors = await choices('errors');
  t.match(
    // biome-ignore lint/suspicious/noExplicitAny: items of the answer
    errors.find((error: any) => error.name === 'bad-data'),
    { job_type_name: 'type-a', category: 'DATA', is_builtin: false, should_be_retried: false },
  );
  t.equal((await caller.get('/v6/metrics/nodes/')).status, 404);
  t.equal((await caller.get('/v6/metrics/nodes/plot-data/')).status, 404);
  t.equal((await caller.call('POST', '/v6/metrics/', {})).status, 405);
});

t.test('metrics: choices restrict the figures; with several choices each value names its own', async (t) => {
  const world = await metricsWorld(t);
  const { store, series, caller } = world;
  const { type, type2 } = store.ids;
  await ended(store, AT_MS);
  await ended(store, AT_MS + HOUR_MS, { jobTypeId: type2 });
  await ended(store, AT_MS, { jobTypeId: type2 });
  const path = 'job-types/plot-data/?column=completed_count';
  const [first, second] = [hour(AT_MS), hour(AT_MS + HOUR_MS)];

  t.strictSame(await series(`${path}&choice_id=${type}`), { completed_count: [[first, 1]] });
  t.strictSame(await series(`${path}&choice_id=${type}&choice_id=${type2}`), {
    completed_count: [
      [first, 1, type],
      [first, 1, type2],
      [second, 1, type2],
    ],
  });
  const { json } = await caller.get(`/v6/metrics/${path}`);
  t.match(json.results[0], {
    min_x: first.slice(0, 10),
    max_x: second.slice(0, 10),
    min_y: 1,
    max_y: 2,
    column: { name: 'completed_count', units: 'count', group: 'overview', aggregate: 'sum' },
  });
});

t.test('metrics: columns are sent in the requested order, also without values', async (t) => {
  const { caller } = await metricsWorld(t);
  const names = async (query: string) => {
    const { json } = await caller.get(`/v6/metrics/job-types/plot-data/?${query}`);
    // biome-ignore lint/suspicious/noExplicitAny: items of the answer
    return json.results.map((one: any) => one.column.name);
  };
  const asked = ['error_system_count', 'error_algorithm_count', 'error_data_count', 'total_count'];
  t.strictSame(await names(asked.map((name) => `column=${name}`).join('&')), asked);
  t.strictSame(await names('group=overview&column=total_count&column=total_count'), [
    'total_count',
    'completed_count',
    'failed_count',
    'canceled_count',
  ]);
  t.equal((await names('')).length, 31);
  const paged = await caller.get('/v6/metrics/job-types/plot-data/?page=2&page_size=30');
  t.match(paged.json, { count: 31, results: [{ column: { name: 'stage_time_avg' } }], next: null });
  t.strictSame(paged.json.results[0].values, []);
  t.match(paged.json.results[0], { min_x: null, max_x: null, min_y: null, max_y: null });
  const beyond = await caller.get('/v6/metrics/job-types/plot-data/?page=5');
  t.match(beyond.json, { count: 31, results: [] });
});

t.test('metrics: the range includes the hours that begin in it, with both ends', async (t) => {
  const { store, series } = await metricsWorld(t);
  for (const at of [AT_MS - HOUR_MS, AT_MS + 1, AT_MS + HOUR_MS]) await ended(store, at);
  const shown = async (query: string) =>
    ((await series(`job-types/plot-data/?column=total_count&${query}`)).total_count ?? []).map(
      (one) => (one as unknown[])[0],
    );

  t.equal((await shown('')).length, 3);
  t.strictSame(await shown(`started=${iso(AT_MS)}&ended=${iso(AT_MS + HOUR_MS - 1)}`), [hour(AT_MS)]);
  t.strictSame(await shown(`started=${iso(AT_MS + 1)}`), [hour(AT_MS + HOUR_MS)]);
  t.strictSame(await shown(`ended=${iso(AT_MS - 1)}`), [hour(AT_MS - HOUR_MS)]);
  t.equal((await shown('started=PT25H')).length, 3);
  t.equal((await shown('started=PT24H')).length, 2);
});

t.test('metrics: all unknown choices and columns are refused by name', async (t) => {
  const { store, caller } = await metricsWorld(t);
  const path = '/v6/metrics/job-types/plot-data/';
  const choices = `choice_id=998&choice_id=${store.ids.type}&choice_id=999`;
  const { status, json } = await caller.get(
    `${path}?column=completed&column=total_count&group=times&group=overview&${choices}`,
  );
  t.equal(status, 400);
  t.match(json, { code: 'INVALID_PARAMETER' });
  t.strictSame(
    // biome-ignore lint/suspicious/noExplicitAny: items of the answer
    json.errors.map((error: any) => `${error.name} ${error.path}: ${error.description}`),
    [
      'UNKNOWN_COLUMN column: job-types have no column "completed"',
      'UNKNOWN_GROUP group: job-types have no group "times"',
      'UNKNOWN_CHOICE choice_id: job-types have no choice 998',
      'UNKNOWN_CHOICE choice_id: job-types have no choice 999',
    ],
  );
  const queries = ['choice_id=x', 'choice_id=0', 'started=x', 'page=0', 'page_size=1001', 'column=__proto__'];
  for (const query of [...queries, 'started=P1D&ended=P2D', 'group=constructor']) {
    const answer = await caller.get(`${path}?${query}`);
    t.equal(answer.status, 400, query);
    t.equal(answer.json.code, 'INVALID_PARAMETER', query);
  }
});

t.test('metrics: an answer that would be too long is refused', async (t) => {
  const { store, caller } = await metricsWorld(t, 3);
  for (let at = 0; at < 4; at++) await ended(store, AT_MS + at * HOUR_MS);
  const path = '/v6/metrics/job-types/plot-data/?column=total_count';

  const { status, json } = await caller.get(path);
  t.equal(status, 400);
  t.match(json.errors, [{ name: 'TOO_MANY_VALUES', path: 'started' }]);
  t.equal((await caller.get(`${path}&started=${iso(AT_MS + HOUR_MS)}`)).status, 200);
});

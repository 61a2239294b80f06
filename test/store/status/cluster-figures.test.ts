import t from 'tap';
import { JOB_TYPES_SHOWN } from '../../../src/domain/metrics/cluster-figures.ts';
import { foldListCounts } from '../../../src/store/metrics/list-counts.ts';
import { clusterFigures } from '../../../src/store/status/cluster-figures.ts';
import { makeEnd, makeQueueing, makeStart, savedJob, savedRecipe } from '../make.ts';
import { heardSql } from '../sql/heard-sql.ts';
import { NOW, storeWorld } from '../store-world.ts';

t.test('cluster figures: jobs are counted by type and status, without superseded ones', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  await savedJob(world);
  const ended = await savedJob(world, { jobTypeId: world.ids.type2 });
  await world.apply({ type: 'moveJobs', moves: [makeEnd(ended.id)] });
  const superseded = await savedJob(world);
  await world.apply({ type: 'supersedeJobs', jobs: [{ jobId: superseded.id, atMs: NOW }] });
  await savedRecipe(world);
  const expected = [
    { name: 'type-a', version: '1.0.0', status: 'QUEUED', count: 1 },
    { name: 'type-b', version: '1.0.0', status: 'COMPLETED', count: 1 },
  ];

  const before = await clusterFigures(sql);
  await foldListCounts(sql);
  const after = await clusterFigures(sql);

  for (const { jobs, recipes, nodes, isSchedulerPaused, database } of [before, after]) {
    t.strictSame(jobs, expected);
    t.strictSame(recipes, [{ isCompleted: false, count: 1 }]);
    t.match(nodes, [{ hostname: 'one' }, { hostname: 'two' }]);
    t.equal(isSchedulerPaused, false);
    t.ok(database.bytes > 1e6);
    t.ok(database.connections > 0 && database.connectionsMax >= database.connections);
  }
});

t.test('cluster figures: job types beyond those with the most jobs are counted together', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  await world.rows(
    `insert into job_type (name, version, title, container_image, is_published, created, last_modified)
     select 'many-' || n, '1.0.0', '', 'image:a', true, now(), now() from generate_series(1, $1::int) n`,
    [JOB_TYPES_SHOWN + 5],
  );
  await world.rows(
    `insert into list_count (kind, facets, count)
     select 'job', jsonb_build_object('status', 'FAILED', 'job_type_id', id, 'error_id', null, 'is_superseded', false),
       case when name = 'many-3' then 1000 else 10 end
     from job_type where name like 'many-%'`,
  );

  const { jobs } = await clusterFigures(sql);

  t.equal(jobs.length, JOB_TYPES_SHOWN + 1);
  t.match(
    jobs.find(({ name }) => name === 'many-3'),
    { count: 1000 },
  );
  t.strictSame(
    jobs.filter(({ name }) => name === 'other'),
    [{ name: 'other', version: '', status: 'FAILED', count: 50 }],
  );
});

t.test('cluster figures: the longest wait is of a job whose type is not paused', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  const oldest = async () => Math.round((await clusterFigures(sql)).oldestQueuedS);
  t.equal(await oldest(), 0, 'nothing waits');
  const queue = async (key: string, jobTypeId: number, priority: number, seconds: number) => {
    await world.apply({
      type: 'ensureClasses',
      classes: [{ key, jobTypeId, resources: {}, executor: 'docker', workspaceIds: [] }],
    });
    const queueing = makeQueueing({ classKey: key, priority, atMs: Date.now() - seconds * 1_000 });
    return savedJob(world, { jobTypeId, queueing, priority });
  };
  const { type: typeA, type2: typeB } = world.ids;
  await queue('a', typeA, 100, 60);
  await queue('a', typeA, 100, 50);
  const first = await queue('a', typeA, 200, 600);
  await queue('b', typeB, 100, 3_600);
  const about = async (seconds: number, when: string) =>
    t.ok(Math.abs((await oldest()) - seconds) < 30, `${when}: ${await oldest()} s`);

  await about(3_600, 'of all classes');
  await world.rows('update job_type set is_paused = true where id = $1', [typeB]);
  await about(600, 'of all priorities');
  await world.apply({
    type: 'startExecutions',
    starts: [await makeStart(world, first.id, { atMs: Date.now() })],
  });
  await about(60, 'the first of its priority');
});

t.test('cluster figures: a long queue is not read through', async (t) => {
  const world = await storeWorld(t);
  const { sql } = world.db;
  const read: string[] = [];
  const heard = heardSql(sql, ({ text }) => void read.push(text));
  await world.apply({
    type: 'ensureClasses',
    classes: [{ key: 'a', jobTypeId: world.ids.type, resources: {}, executor: 'docker', workspaceIds: [] }],
  });
  const model = await savedJob(world, { queueing: makeQueueing({ classKey: 'a' }) });
  await world.rows(
    `insert into job select (jsonb_populate_record(j, jsonb_build_object('id', j.id + n * 64))).*
     from job j, generate_series(1, 20000) n where j.id = $1`,
    [model.id],
  );
  await world.rows('analyze job');

  await clusterFigures(heard as typeof sql);

  for (const text of read) {
    const params = text.includes('$1') ? [JOB_TYPES_SHOWN] : [];
    const [row] = await sql.execute<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${text}`,
      params,
    );
    const plan = row?.['QUERY PLAN'][0].Plan ?? {};
    const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    t.ok(blocks < 300, `${blocks} blocks: ${text.trim().slice(0, 60)}`);
  }
  t.equal(read.length, 5, 'a constant number of statements');
});

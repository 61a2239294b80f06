/**
 * Reads of counters by hour, with little and with much history: a week of metrics of all job types, of one, and of what
 * strikes have ingested. What they take should not change with the history.
 */
import { METRICS_TYPES } from '../src/domain/metrics/metrics-types.ts';
import { listIngestStatus } from '../src/store/ingest/status.ts';
import { metricsPoints } from '../src/store/metrics/list.ts';
import { NOW, type StoreWorld, storeWorld } from '../test/store/store-world.ts';
import { runBench } from './harness/bench.ts';
import { openTestDatabases } from './harness/database.ts';
import { median } from './harness/figures.ts';

const DAY_MS = 86_400_000;
const SUBJECTS = 20;
const RANGE = { startedMs: NOW - 7 * DAY_MS, endedMs: NOW };

/** Every measure of every subject in each hour of so many days. */
async function fill(world: StoreWorld, days: number): Promise<number> {
  await world.rows('truncate hour_total');
  for (const type of METRICS_TYPES) {
    const slots = type.name === 'ingests' ? ['by_data_time', 'by_ingest_time'] : [];
    const measures = new Set([...type.columns.flatMap((column) => column.measures), ...slots]);
    await world.rows(
      `insert into hour_total select $1, subject, measure, hour, 5, 5000, 100, 2000
       from generate_series(1, ${SUBJECTS}) as subject, unnest($2::text[]) as measure,
         generate_series(to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000), '1 hour') as at,
         lateral date_trunc('hour', at, 'UTC') as hour`,
      [type.name, [...measures], NOW - days * DAY_MS, NOW],
    );
  }
  await world.rows('analyze hour_total');
  return (await world.one<{ count: number }>('select count(*) as count from hour_total')).count;
}

const READS = 7;

/** Median, ms. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return median(times);
}

/** A strike for each subject. */
async function makeStrikes(world: StoreWorld): Promise<void> {
  const job = await world.one<{ id: number }>(
    `insert into job (shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status, max_tries, priority,
     created, last_status_change, last_modified)
   values (1, 'strike', 1, $1, $2, 1, 'PENDING', 1, 1, now(), now(), now()) returning id`,
    [world.ids.type, world.ids.rev],
  );
  await world.rows(
    `insert into strike (shard, name, title, configuration, workspace_id, job_id, created, last_modified)
   select 1, 's' || n, 'S', '{}', $1, $2, now(), now() from generate_series(1, ${SUBJECTS}) as n`,
    [world.ids.in, job.id],
  );
}

await runBench(import.meta.filename, async (bench) => {
  const days = [8, bench.parameter('days', 9, 365)];
  const database = await openTestDatabases(bench);
  const downs: (() => Promise<void>)[] = [];
  try {
    const world = await storeWorld({ teardown: (down) => void downs.push(down) });
    const { sql } = world.db;
    await makeStrikes(world);
    const type = METRICS_TYPES.find(({ name }) => name === 'job-types');
    if (type === undefined) throw new Error('no metrics of job types');
    const query = { type, columns: type.columns, range: RANGE };
    const rows: number[][] = [];
    for (const span of days) {
      const counters = await fill(world, span);
      rows.push([
        counters,
        await took(() => metricsPoints(sql, { ...query, choiceIds: [] }, 200_001)),
        await took(() => metricsPoints(sql, { ...query, choiceIds: [1] }, 200_001)),
        await took(() =>
          listIngestStatus(sql, { ...RANGE, useIngestTime: true }, { offset: 0, pageSize: 100 }),
        ),
      ]);
    }
    const columns = ['counters', 'all job types, ms', 'one, ms', 'ingest status, ms'];
    bench.add({ kind: 'figures', title: 'A week of a growing history', columns, rows });
    const [few = [], many = []] = rows;
    for (const [at, name] of columns.entries()) {
      if (at === 0) continue;
      const measured = (many[at] ?? Number.NaN) / (few[at] ?? Number.NaN);
      bench.aim({
        ...{ text: `${name.replace(', ms', '')}: all history / little`, measured, wanted: 1.5 },
        ...{ bound: 'most', unit: 'x' },
      });
    }
  } finally {
    for (const down of downs.reverse()) await down();
    await database?.stop();
  }
});

/**
 * Counters by hour against a recount of all rows, after random lives of jobs and ingests: what is reported while they
 * are folded or not, and when a fold is cut off.
 */
import t from 'tap';
import type { IngestEnd } from '../../../src/domain/ingest/ingest.ts';
import type { ErrorRef } from '../../../src/domain/task/task-result.ts';
import { foldOutcomes } from '../../../src/store/job/outcomes.ts';
import { foldHours, HOURS } from '../../../src/store/metrics/hour-totals.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import {
  makeArrival,
  makeEnd,
  makeExecutionEnd,
  makeIngestEnd,
  makeQueue,
  makeSource,
  makeStart,
  savedJob,
} from '../make.ts';
import { NOW, type StoreWorld, storeWorld } from '../store-world.ts';
import { RECOUNT } from './hour-recount.ts';

const MINUTE_MS = 60_000;
const SEEDS = [1, 2, 3];

/** Numbers that a seed gives again. */
function makeRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return {
    below: (limit: number) => Math.floor(next() * limit),
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
  };
}
type Random = ReturnType<typeof makeRandom>;

interface Line {
  readonly kind: string;
  readonly subject_id: number;
  readonly measure: string;
  readonly hour: number;
  readonly n: number;
  readonly total: number;
  readonly least: number | null;
  readonly most: number | null;
}

async function told(sql: Sql): Promise<Line[]> {
  return sql.execute<Line>(`select kind, subject_id, measure, hour, sum(n) as n, sum(total) as total,
    min(least) as least, max(most) as most from ${HOURS} h group by 1, 2, 3, 4 having sum(n) <> 0
    order by 1, 2, 3, 4`);
}

/** What the rows come to; leaves everything as it is. */
async function recounted(world: StoreWorld): Promise<Line[]> {
  const undo = new Error('undo');
  let lines: Line[] = [];
  await world.db.sql
    .transaction(async (tx) => {
      for (const table of ['hour_total', 'hour_total_delta', 'job_outcome_delta']) {
        await tx.execute(`delete from ${table}`);
      }
      await tx.execute(RECOUNT);
      lines = await told(tx);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return lines;
}

/** Extremes stay where something that was counted has left. */
const LEFT = new Set(['deferred', 'errored', 'transfer_time', 'by_data_time']);
function comparable(lines: readonly Line[]): unknown[] {
  return lines.map(({ least, most, ...line }) => (LEFT.has(line.measure) ? line : { ...line, least, most }));
}

const ERRORS: readonly ErrorRef[] = [
  { name: 'unknown', isBuiltin: true },
  { name: 'node-lost', isBuiltin: true },
  { name: 'bad-data', isBuiltin: false },
  { name: 'nobody-knows', isBuiltin: false },
];

/** One job, through tries that complete, fail, are canceled, lost or requeued, over hours. */
async function liveJob(world: StoreWorld, random: Random): Promise<void> {
  let atMs = NOW + random.below(600) * MINUTE_MS;
  const later = () => {
    atMs += random.below(50 * MINUTE_MS);
    return atMs;
  };
  const jobTypeId = random.pick([world.ids.type, world.ids.type2]);
  const { id } = await savedJob(world, { jobTypeId, atMs });
  for (let exeNum = 1; exeNum <= 4; exeNum++) {
    if (random.below(5) === 0) {
      await world.apply({
        type: 'moveJobs',
        moves: [{ kind: 'status', jobId: id, from: ['QUEUED'], exeNum, to: 'CANCELED', atMs: later() }],
      });
      if (random.below(2) === 0) return;
      await world.apply({
        type: 'moveJobs',
        moves: [makeQueue(id, ['CANCELED'], exeNum, { exeNum: exeNum + 1, atMs: later() })],
      });
      continue;
    }
    const start = await makeStart(world, id, { exeNum, atMs: later() });
    await world.apply({ type: 'placeJobs', starts: [start] });
    const outcome = random.pick(['COMPLETED', 'FAILED', 'retry', 'CANCELED'] as const);
    const error = outcome === 'COMPLETED' || outcome === 'CANCELED' ? null : random.pick(ERRORS);
    const endMs = later();
    const end = makeExecutionEnd(start.executionId, {
      status: outcome === 'retry' ? 'FAILED' : outcome,
      error,
      phases: phasesOf(random, start.atMs, endMs),
      atMs: endMs,
    });
    const from = ['RUNNING'] as const;
    const move =
      outcome === 'retry'
        ? makeQueue(id, from, exeNum, { exeNum: exeNum + 1, atMs: endMs })
        : outcome === 'CANCELED'
          ? ({ kind: 'status', jobId: id, from, exeNum, to: 'CANCELED', atMs: endMs } as const)
          : makeEnd(id, { exeNum, to: outcome, error, atMs: endMs });
    // A second report of the same end changes nothing.
    await world.apply({ type: 'moveJobs', moves: [move] }, { type: 'endExecutions', ends: [end, end] });
    await world.apply({ type: 'endExecutions', ends: [{ ...end, atMs: later() }] });
    if (outcome === 'COMPLETED' || (outcome !== 'retry' && random.below(2) === 0)) return;
    if (outcome === 'retry') continue;
    const requeue = makeQueue(id, ['FAILED', 'CANCELED'], exeNum, { exeNum: exeNum + 1, atMs: later() });
    await world.apply({ type: 'moveJobs', moves: [requeue] });
  }
}

function phasesOf(random: Random, startedMs: number, endedMs: number) {
  const names = ['pull', 'pre', 'main', 'post'] as const;
  const ran = names.slice(0, random.below(5));
  return ran.map((phase, at) => {
    const fromMs = startedMs + Math.floor(((endedMs - startedMs) * at) / 5);
    const toMs = fromMs + random.below(60_000) + 0.4;
    return { phase, startedMs: fromMs, endedMs: toMs, exitCode: 0, isTimedOut: false };
  });
}

async function newStrike(world: StoreWorld): Promise<number> {
  const id = await world.newId('strike');
  const job = await savedJob(world);
  await world.rows(
    `insert into strike (id, shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values ($1::bigint, 1, 'strike-' || $1::bigint, 'S', '{}', $2, $3, now(), now())`,
    [id, world.ids.in, job.id],
  );
  return id;
}

/** One file: seen, perhaps deferred and taken later, ingested after failures, a duplicate, or never. */
async function liveIngest(world: StoreWorld, random: Random, strikeId: number, name: number): Promise<void> {
  let atMs = NOW + random.below(600) * MINUTE_MS;
  const later = () => {
    atMs += random.below(50 * MINUTE_MS);
    return atMs;
  };
  const ids = { jobTypeId: world.ids.type, jobTypeRevId: world.ids.rev };
  const template = { shard: 1, ...ids, priority: 1, maxTries: 9, timeoutS: 0 } as const;
  const seen = { filePath: `f/${strikeId}/${name}`, size: random.below(5_000), identity: `content-${name}` };
  const record = async (status: 'TRANSFERRING' | 'TRANSFERRED' | 'DEFERRED' | 'ERRORED') => {
    const isUnfinished = status === 'TRANSFERRING' || status === 'ERRORED';
    const over = { ...seen, status, atMs: later(), firstSeenMs: NOW, mtimeMs: null };
    const arrival = await makeArrival(world, isUnfinished ? { ...over, identity: null } : over);
    const owner = { kind: 'strike', key: strikeId } as const;
    await world.apply({ type: 'recordArrivals', owner, template, arrivals: [arrival] });
  };
  if (random.below(4) === 0) {
    await record('TRANSFERRING');
    if (random.below(2) === 0) return record('ERRORED');
  }
  if (random.below(3) === 0) {
    await record('DEFERRED');
    if (random.below(3) === 0) return;
  }
  await record('TRANSFERRED');
  const { id: ingestId } = await world.one<{ id: number }>('select id from ingest where file_path = $1', [
    seen.filePath,
  ]);
  for (;;) {
    await world.apply({ type: 'startIngests', ingests: [{ ingestId, atMs: later() }] });
    const status = random.pick(['INGESTED', 'INGESTED', 'DUPLICATE', 'ERRORED', 'TRANSFERRED'] as const);
    await endIngest(world, random, { ...makeIngestEnd(ingestId), status, atMs: later() });
    if (status === 'INGESTED' || status === 'DUPLICATE') return;
    if (status === 'TRANSFERRED') continue;
    if (random.below(2) === 0) return;
    if (random.below(2) === 0) {
      await world.apply({ type: 'requeueIngests', ingests: [{ ingestId, atMs: later() }] });
    }
  }
}

/** A stored file may be parsed: its data has a time then, and another one later. */
async function endIngest(world: StoreWorld, random: Random, end: IngestEnd): Promise<void> {
  if (end.status !== 'INGESTED') {
    await world.apply({ type: 'endIngests', ingests: [end] });
    return;
  }
  const source = await makeSource(world);
  await world.apply(
    { type: 'createSourceFiles', files: [source] },
    { type: 'endIngests', ingests: [{ ...end, sourceFileId: source.id }] },
  );
  const times = random.below(3);
  if (times === 0) return;
  const { id: jobId } = await savedJob(world);
  for (let at = 0; at < times; at++) {
    const dataStartedMs = NOW - random.below(48 * 60) * MINUTE_MS;
    const parsed = {
      ...{ fileId: source.id, jobId, recipeIds: [], tags: [], metadata: {}, footprint: null },
      ...{ sensorClass: null, sensor: null, collection: null, task: null },
      ...{ dataStartedMs, dataEndedMs: dataStartedMs + MINUTE_MS, atMs: end.atMs + at },
    };
    await world.apply({ type: 'parseSources', sources: [parsed] });
  }
}

for (const seed of SEEDS) {
  t.test(`counters by hour: they equal a recount after lives of seed ${seed}`, async (t) => {
    const world = await storeWorld(t);
    const random = makeRandom(seed);
    const { sql } = world.db;
    const strikes = [await newStrike(world), await newStrike(world)];
    for (let at = 0; at < 40; at++) {
      await liveJob(world, random);
      await liveIngest(world, random, random.pick(strikes), at);
      if (random.below(8) === 0) await foldHours(sql);
      if (random.below(8) === 0) await foldOutcomes(sql, NOW);
    }
    const before = await told(sql);
    const kinds = new Set(before.map((line) => `${line.kind} ${line.measure}`));
    t.ok(kinds.size >= 17, `${kinds.size} measures were counted`);

    t.strictSame(comparable(before), comparable(await recounted(world)), 'half folded');

    await Promise.all([foldHours(sql), foldHours(sql), foldOutcomes(sql, NOW), foldOutcomes(sql, NOW)]);
    t.strictSame(await told(sql), before, 'folding changes nothing');
    t.strictSame(await world.rows('select id from hour_total_delta'), []);
    t.strictSame(await world.rows('select id from job_outcome_delta'), []);
  });
}

t.test('counters by hour: a fold that is interrupted after any statement changes no total', async (t) => {
  const world = await storeWorld(t);
  const random = makeRandom(7);
  for (let at = 0; at < 5; at++) await liveJob(world, random);
  const before = await told(world.db.sql);
  const deltas = await world.rows('select id from hour_total_delta');
  t.not(deltas.length, 0);

  const cut = new Error('cut off');
  for (const fold of [(tx: Sql) => foldHours(tx), (tx: Sql) => foldOutcomes(tx, NOW)]) {
    const folded = world.db.sql.transaction(async (tx) => {
      await fold(tx);
      throw cut;
    });
    await t.rejects(folded, cut);
    t.strictSame(await told(world.db.sql), before);
  }
  t.same(await world.rows('select id from hour_total_delta'), deltas);
});

t.test('counters by hour: a refused turn counts nothing', async (t) => {
  const world = await storeWorld(t);
  const { id } = await savedJob(world);
  const start = await makeStart(world, id);
  await world.apply({ type: 'placeJobs', starts: [start] });
  const ends = [makeExecutionEnd(start.executionId)];
  const refused = world.apply(
    { type: 'endExecutions', ends },
    { type: 'moveJobs', moves: [makeEnd(id, { exeNum: 2 })] },
  );
  await t.rejects(refused);
  t.strictSame(await told(world.db.sql), []);
});

/**
 * Counters of batches. A commit appends its differences, one row for each batch and node, so that no commit waits for
 * another; folding adds them up. Node '' is the batch itself (sums over its top-level recipes), the others are its job
 * nodes.
 */
import { JOB_STATUSES, type JobStatus } from '../../domain/job/job.ts';
import type { PendingJob, PendingJobs } from '../job/pending-rows.ts';
import { FOLDED_AT_ONCE, foldInRounds } from '../metrics/folding.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { BatchCountDeltaEntity } from './table.ts';

/** The summed columns. */
const SUMS = [
  ...['recipes_total', 'recipes_completed', 'jobs_total'],
  ...JOB_STATUSES.map((status) => `jobs_${status.toLowerCase()}`),
  ...['job_ms_count', 'job_ms_sum', 'seed_ms_count', 'seed_ms_sum'],
];
const EXTREMES = ['job_ms', 'seed_ms'] as const;

class Delta {
  readonly batchId: number;
  readonly node: string;
  readonly sums = new Map<string, number>();
  readonly extremes = new Map<string, { min: number; max: number }>();
  atMs = 0;

  constructor(batchId: number, node: string) {
    this.batchId = batchId;
    this.node = node;
  }

  add(name: string, by: number): void {
    this.sums.set(name, (this.sums.get(name) ?? 0) + by);
  }

  time(name: (typeof EXTREMES)[number], ms: number): void {
    this.add(`${name}_count`, 1);
    this.add(`${name}_sum`, ms);
    const known = this.extremes.get(name);
    const [min, max] = [Math.min(known?.min ?? ms, ms), Math.max(known?.max ?? ms, ms)];
    this.extremes.set(name, { min, max });
  }

  get hasChanges(): boolean {
    return this.extremes.size > 0 || [...this.sums.values()].some((count) => count !== 0);
  }
}

const DELTAS = rowsOf(BatchCountDeltaEntity).from<Delta>(
  {
    batchId: (row) => row.batchId,
    node: (row) => row.node,
    at: (row) => row.atMs,
  },
  [
    ...SUMS.map((name) => [name, 'id', (row: Delta) => row.sums.get(name) ?? 0] as const),
    ...EXTREMES.flatMap((name) => [
      [`${name}_min`, 'id', (row: Delta) => row.extremes.get(name)?.min] as const,
      [`${name}_max`, 'id', (row: Delta) => row.extremes.get(name)?.max] as const,
    ]),
  ],
);

const ADD_COUNTS = {
  name: 'add_batch_counts',
  text: /* sql */ `
    insert into batch_count_delta (${DELTAS.names}) select * from ${DELTAS.table('d')}`,
};

/** The differences of one group for batches. */
export class BatchCounts {
  readonly #deltas = new Map<string, Delta>();

  at(batchId: number, node: string, atMs: number): Delta {
    const key = `${batchId}/${node}`;
    let delta = this.#deltas.get(key);
    if (delta === undefined) {
      delta = new Delta(batchId, node);
      this.#deltas.set(key, delta);
    }
    delta.atMs = Math.max(delta.atMs, atMs);
    return delta;
  }

  /** Counts the change of a top-level recipe's counters. */
  addRecipe(batchId: number, atMs: number, counts: ReadonlyMap<string, number>, step: RecipeStep): void {
    const delta = this.at(batchId, '', atMs);
    if (step.isNew) delta.add('recipes_total', 1);
    if (step.isCompleted) delta.add('recipes_completed', 1);
    for (const [name, by] of counts) {
      delta.add(name.replace('sub_recipes_', 'recipes_'), by);
    }
  }

  /** Counts the changes of a group's jobs at the nodes of top-level recipes. */
  addJobs(pendingRows: PendingJobs): void {
    for (const pending of pendingRows.pendingRows.values()) {
      for (const batchId of pending.batchIds) this.#addMove(batchId, pending, pending.before);
      for (const batchId of pending.sharedBatchIds) this.#addMove(batchId, pending, null);
    }
  }

  /** `before` null: the job is new to the batch. */
  #addMove(batchId: number, pending: PendingJob, before: JobStatus | null): void {
    if (before === pending.status) return;
    const delta = this.at(batchId, pending.recipeNode ?? '', pending.atMs);
    if (before === null) delta.add('jobs_total', 1);
    else delta.add(`jobs_${before.toLowerCase()}`, -1);
    delta.add(`jobs_${pending.status.toLowerCase()}`, 1);
    if (pending.status !== 'COMPLETED') return;
    if (pending.startedMs !== null && pending.endedMs !== null) {
      delta.time('job_ms', Math.max(0, Math.round(pending.endedMs - pending.startedMs)));
    }
    if (pending.seedMs !== null) delta.time('seed_ms', Math.round(pending.seedMs));
  }

  /** The rows to append. */
  get rows(): readonly Delta[] {
    return [...this.#deltas.values()].filter((delta) => delta.hasChanges);
  }

  async save(sql: Sql): Promise<void> {
    const { rows } = this;
    if (rows.length > 0) await sql.execute(ADD_COUNTS, DELTAS.params(rows));
  }
}

interface RecipeStep {
  readonly isNew: boolean;
  readonly isCompleted: boolean;
}

const extremes = EXTREMES.flatMap((name) => [`${name}_min`, `${name}_max`]);
const combined = (name: string) => `${name.endsWith('_min') ? 'least' : 'greatest'}`;

const FOLD = {
  name: 'fold_batch_counts',
  text: /* sql */ `
    with taken as (
      delete from batch_count_delta where id in (
        select id from batch_count_delta order by id limit ${FOLDED_AT_ONCE} for update skip locked)
      returning *),
    added as (
      select batch_id, node, max(at) as at, ${SUMS.map((name) => `sum(${name}) as ${name}`).join(', ')},
        ${extremes.map((name) => `${name.slice(-3)}(${name}) as ${name}`).join(', ')}
      from taken group by batch_id, node order by batch_id, node),
    folded as (
      insert into batch_count as c (batch_id, node, ${[...SUMS, ...extremes].join(', ')})
      select batch_id, node, ${[...SUMS, ...extremes].join(', ')} from added
      on conflict (batch_id, node) do update set   -- = batch_count_pkey
        ${SUMS.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')},
        ${extremes.map((name) => `${name} = ${combined(name)}(c.${name}, excluded.${name})`).join(', ')}),
    touched as (
      update batch b set last_modified = greatest(b.last_modified, a.at)
      from (select batch_id, max(at) as at from added group by batch_id) as a
      where b.id = a.batch_id)   -- = batch_pkey
    select count(*) as count from taken`,
};

/** Adds the appended rows to the counters of batches. */
export async function foldBatchCounts(sql: Sql): Promise<void> {
  await foldInRounds(sql, FOLD);
}

/** Lists and details of batches, with the metrics of job nodes, and comparison along a chain. */
import type { BatchStatus } from '../../domain/batch/batch.ts';
import { JOB_STATUSES, type JobStatus } from '../../domain/job/job.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import {
  AliasedRows,
  type Expression,
  expression,
  joinedOrder,
  nestedOrder,
  object,
  orNull,
  row,
  type ValueOf,
} from '../sql/fields.ts';
import { listOf, readRecords, recordsById } from '../sql/listing.ts';
import {
  batchOrder,
  batchSummary,
  eventOrder,
  eventRecord,
  recipeTypeOrder,
  recipeTypeSummary,
} from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface BatchFilter {
  readonly range: MsRange;
  readonly batch_id: readonly number[];
  readonly recipe_type_id: readonly number[];
  readonly root_batch_id: readonly number[];
  readonly keyword: readonly string[];
  readonly is_creation_done: boolean | undefined;
  readonly is_superseded: boolean | undefined;
}

type JobCount = 'jobs_total' | `jobs_${Lowercase<JobStatus>}`;
const JOB_COUNTS: readonly JobCount[] = [
  'jobs_total',
  ...JOB_STATUSES.map((status) => `jobs_${status.toLowerCase()}` as `jobs_${Lowercase<JobStatus>}`),
];
const RECIPE_COUNTS = ['recipes_total', 'recipes_completed'] as const;
const COUNTS = [...JOB_COUNTS, ...RECIPE_COUNTS];
const INSTANTS = ['created', 'superseded', 'last_modified'] as const;

/** The sum of folded and appended counters. */
function countsOf(batch: string): string {
  const sums = COUNTS.map((name) => `coalesce(sum(part.${name}), 0)::int as ${name}`).join(', ');
  const names = COUNTS.join(', ');
  return `select ${sums} from (
    select ${names} from batch_count where batch_id = ${batch} and node = ''
    union all select ${names} from batch_count_delta where batch_id = ${batch} and node = '') as part`;
}

const COUNT_JOIN = `cross join lateral (${countsOf('b.id')}) as total`;
const TYPE_JOIN = 'join recipe_type rt on rt.id = b.recipe_type_id';
const JOINS = `${TYPE_JOIN}
  join recipe_type_rev rev on rev.id = b.recipe_type_rev_id
  join event e on e.id = b.event_id
  left join batch root on root.id = b.root_batch_id
  left join batch previous on previous.id = b.superseded_batch_id
  ${COUNT_JOIN}`;

const b = row('batch', 'b');
const rev = row('recipe_type_rev', 'rev');
const total = new AliasedRows<Record<(typeof COUNTS)[number], number>>('', 'total');

const REVISION = {
  ...rev.columns('id'),
  recipe_type: object({ id: rev.column('recipe_type_id') }),
  ...rev.columns('revision_num'),
};
const HEAD = {
  ...b.columns('id', 'object_version'),
  ...b.textsOrEmpty('title', 'description'),
  recipe_type: recipeTypeSummary('rt'),
};
const TOTALS = {
  ...total.columns(...JOB_COUNTS),
  ...b.columns('recipes_estimated'),
  ...total.columns(...RECIPE_COUNTS),
};
/** A batch that is not complete, with nothing left to run, has stopped at what failed or was canceled. */
const STATUS = expression<BatchStatus>(`case
  when b.is_superseded then 'SUPERSEDED'
  when not b.is_creation_done then 'CREATING'
  when total.recipes_completed = total.recipes_total then 'COMPLETED'
  when total.jobs_pending + total.jobs_queued + total.jobs_running > 0 then 'RUNNING'
  when total.jobs_failed > 0 then 'FAILED'
  when total.jobs_canceled > 0 then 'CANCELED'
  else 'RUNNING' end`);
const BODY = {
  status: STATUS,
  event: eventRecord('e'),
  ...b.columns('is_superseded'),
  root_batch: orNull('root.id', batchSummary('root')),
  superseded_batch: orNull('previous.id', batchSummary('previous')),
  ...b.columns('is_creation_done'),
  ...TOTALS,
  ...b.instants(...INSTANTS),
};

const BATCHES = {
  rows: b,
  joins: JOINS,
  fields: { ...HEAD, recipe_type_rev: object(REVISION), ...BODY },
  order: {
    ...b.order('id', 'is_superseded', 'is_creation_done', 'recipes_estimated', ...INSTANTS),
    ...b.textOrEmptyOrder('title', 'description'),
    ...joinedOrder(COUNT_JOIN, { ...total.order(...COUNTS), status: { by: STATUS } }),
    recipe_type: { by: 'lower(rt.name)', join: TYPE_JOIN },
    ...nestedOrder('recipe_type', 'b.recipe_type_id', TYPE_JOIN, recipeTypeOrder('rt')),
    recipe_type_rev__id: { by: 'b.recipe_type_rev_id' },
    recipe_type_rev__recipe_type__id: { by: 'b.recipe_type_id' },
    recipe_type_rev__revision_num: {
      by: 'rev.revision_num',
      join: 'join recipe_type_rev rev on rev.id = b.recipe_type_rev_id',
    },
    ...eventOrder('b.event_id'),
    ...batchOrder('root_batch', 'b.root_batch_id'),
    ...batchOrder('superseded_batch', 'b.superseded_batch_id'),
  },
};

export const listBatches = listOf(BATCHES, (where, filter: BatchFilter) => {
  where.add('b.deleted is null');
  where.range(filter.range, 'b.last_modified');
  where.anyOf('b.id', 'bigint', filter.batch_id);
  where.anyOf('b.recipe_type_id', 'bigint', filter.recipe_type_id);
  where.anyOf('b.root_batch_id', 'bigint', filter.root_batch_id);
  where.like(['b.title', 'b.description'], filter.keyword);
  where.flag('b.is_creation_done', filter.is_creation_done);
  where.flag('b.is_superseded', filter.is_superseded);
});

/** Milliseconds as an ISO-8601 duration of whole seconds, rounded half up: `P1DT2H0S`, `PT9M2S`. */
function duration(ms: string): Expression<string | null> {
  const seconds = `floor(${ms} / 1000.0 + 0.5)::bigint`;
  const part = (amount: string, unit: string) =>
    `case when ${amount} > 0 then ${amount} || '${unit}' else '' end`;
  return expression(`case when ${ms} is not null then 'P' || ${part(`${seconds} / 86400`, 'D')} || 'T'
    || ${part(`${seconds} % 86400 / 3600`, 'H')} || ${part(`${seconds} % 3600 / 60`, 'M')}
    || ${seconds} % 60 || 'S' end`);
}

const DURATIONS = {
  min_seed_duration: duration('min(part.seed_ms_min)'),
  avg_seed_duration: duration('(sum(part.seed_ms_sum) / nullif(sum(part.seed_ms_count), 0))'),
  max_seed_duration: duration('max(part.seed_ms_max)'),
  min_job_duration: duration('min(part.job_ms_min)'),
  avg_job_duration: duration('(sum(part.job_ms_sum) / nullif(sum(part.job_ms_count), 0))'),
  max_job_duration: duration('max(part.job_ms_max)'),
};

/** By job node of the revision's definition: counts and durations of its jobs. */
function metricsOf(batch: string, revision: string) {
  const counts = JOB_COUNTS.map((name) => [name, expression<number>(`coalesce(sum(part.${name}), 0)::int`)]);
  const metrics = object({
    ...(Object.fromEntries(counts) as Record<JobCount, Expression<number>>),
    ...DURATIONS,
  });
  return expression<Record<string, ValueOf<typeof metrics>>>(`(
    select coalesce(json_object_agg(metric.node, metric.record order by metric.node), '{}') from (
    select node.key as node, ${metrics} as record
    from jsonb_each(${revision}.definition->'nodes') as node
    left join lateral (
      select ${[...JOB_COUNTS, ...TIMED].join(', ')} from batch_count
      where batch_id = ${batch} and node = node.key
      union all
      select ${[...JOB_COUNTS, ...TIMED].join(', ')} from batch_count_delta
      where batch_id = ${batch} and node = node.key) as part on true
    where node.value->'node_type'->>'node_type' = 'job'
    group by node.key) as metric)`);
}

const TIMED = ['job', 'seed'].flatMap((name) =>
  ['count', 'sum', 'min', 'max'].map((figure) => `${name}_ms_${figure}`),
);

const JOB_METRICS = metricsOf('b.id', 'rev');

const DETAILS = object({
  ...HEAD,
  recipe_type_rev: object({
    ...REVISION,
    definition: rev.document('definition'),
    ...rev.instants('created'),
  }),
  ...BODY,
  definition: b.document('definition'),
  configuration: b.document('configuration'),
  recipes_skipped: b.column('skipped_count'),
  job_metrics: JOB_METRICS,
});

export const FIND_BATCHES = {
  name: 'find_batches',
  record: DETAILS,
  text: `select b.id, ${DETAILS} as record from batch b ${JOINS}
    where b.id = any($1::bigint[]) and b.deleted is null   -- = batch_pkey`,
};

/** Details of the batches that exist, by id. */
function findBatches(sql: Sql, ids: readonly number[]) {
  return recordsById(sql, FIND_BATCHES, ids);
}

/** Undefined if there is no such batch. */
export async function findBatch(sql: Sql, id: number) {
  return (await findBatches(sql, [id])).get(id);
}

const CHAIN_BATCH = object({ summary: batchSummary('b'), counts: object(TOTALS), job_metrics: JOB_METRICS });
export type ChainBatch = ValueOf<typeof CHAIN_BATCH>;

// limit: batches of one chain that are compared, newest first.
const CHAIN_MAX = 1_000;

/** All batches of the given batch's chain, in order; empty if there is no such batch. */
export async function chainOfBatch(sql: Sql, id: number): Promise<readonly ChainBatch[]> {
  const batches = await readRecords(
    sql,
    CHAIN_BATCH,
    `batch b join recipe_type_rev rev on rev.id = b.recipe_type_rev_id ${COUNT_JOIN}
     where b.root_batch_id = (select root_batch_id from batch where id = $1 and deleted is null)
       and b.deleted is null
     order by b.id desc limit ${CHAIN_MAX}`,
    [id],
  );
  return batches.reverse();
}

/** The batch that a new one would supersede. */
export interface CurrentBatch {
  readonly id: number;
  readonly recipeTypeId: number;
  readonly recipeTypeRevId: number;
  readonly revisionNum: number;
  readonly isCreationDone: boolean;
  readonly recipesTotal: number;
}

/** The batch of a chain that is not superseded. */
export async function currentBatch(sql: Sql, rootBatchId: number): Promise<CurrentBatch | undefined> {
  const rows = await sql.execute<CurrentBatch>(
    `select b.id, b.recipe_type_id as "recipeTypeId", b.recipe_type_rev_id as "recipeTypeRevId",
       rev.revision_num as "revisionNum", b.is_creation_done as "isCreationDone",
       total.recipes_total as "recipesTotal"
     from batch b join recipe_type_rev rev on rev.id = b.recipe_type_rev_id ${COUNT_JOIN}
     where b.root_batch_id = $1 and not b.is_superseded and b.deleted is null`,
    [rootBatchId],
  );
  return rows[0];
}

/** The number of members of a dataset. */
export async function countMembers(sql: Sql, datasetId: number): Promise<number> {
  const text = 'select count(*) as count from dataset_member where dataset_id = $1';
  const rows = await sql.execute<{ count: number }>(text, [datasetId]);
  return rows[0]?.count ?? 0;
}

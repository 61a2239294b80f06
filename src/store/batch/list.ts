/** Lists and details of batches, with the metrics of job nodes, and comparison along a chain. */
import { JOB_STATUSES } from '../../domain/job/job.ts';
import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type MsRange,
  type OrderKey,
  type PageBounds,
  plainOrder,
  recordsById,
  textOrEmptyOrder,
} from '../sql/listing.ts';
import { batchOrder, eventOrder, recipeTypeOrder } from '../sql/record-order.ts';
import {
  columns,
  eventRecord,
  instants,
  iso,
  object,
  objectIf,
  recipeTypeSummary,
  textsOrEmpty,
} from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface BatchFilter {
  readonly range: MsRange;
  readonly batch_id: readonly number[];
  readonly recipe_type_id: readonly number[];
  readonly root_batch_id: readonly number[];
  readonly is_creation_done: boolean | undefined;
  readonly is_superseded: boolean | undefined;
}

const JOB_COUNTS = ['jobs_total', ...JOB_STATUSES.map((status) => `jobs_${status.toLowerCase()}`)];
const COUNTS = [...JOB_COUNTS, 'recipes_total', 'recipes_completed'];
const INSTANTS = ['created', 'superseded', 'last_modified'];

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

function summary(alias: string): Record<string, string> {
  return {
    id: `${alias}.id`,
    ...textsOrEmpty(alias, ['title', 'description']),
    created: iso(`${alias}.created`),
  };
}

const REVISION = {
  id: 'rev.id',
  recipe_type: object({ id: 'rev.recipe_type_id' }),
  revision_num: 'rev.revision_num',
};
const HEAD = {
  id: 'b.id',
  ...textsOrEmpty('b', ['title', 'description']),
  recipe_type: recipeTypeSummary('rt'),
};
const BODY = {
  event: eventRecord('e'),
  is_superseded: 'b.is_superseded',
  root_batch: objectIf('root.id', summary('root')),
  superseded_batch: objectIf('previous.id', summary('previous')),
  is_creation_done: 'b.is_creation_done',
  ...columns('total', JOB_COUNTS),
  recipes_estimated: 'b.recipes_estimated',
  ...columns('total', ['recipes_total', 'recipes_completed']),
  ...instants('b', INSTANTS),
};

const BATCHES: ListShape = {
  from: 'batch b',
  id: 'b.id',
  joins: JOINS,
  record: object({ ...HEAD, recipe_type_rev: object(REVISION), ...BODY }),
  order: {
    ...plainOrder('b', ['id', 'is_superseded', 'is_creation_done', 'recipes_estimated', ...INSTANTS]),
    ...textOrEmptyOrder('b', ['title', 'description']),
    ...Object.fromEntries(COUNTS.map((name) => [name, { by: `total.${name}`, join: COUNT_JOIN }])),
    recipe_type: { by: 'lower(rt.name)', join: TYPE_JOIN },
    ...recipeTypeOrder('recipe_type', 'b.recipe_type_id', { alias: 'rt', join: TYPE_JOIN }),
    recipe_type_rev__id: { by: 'b.recipe_type_rev_id' },
    recipe_type_rev__recipe_type__id: { by: 'b.recipe_type_id' },
    recipe_type_rev__revision_num: {
      by: 'rev.revision_num',
      join: 'join recipe_type_rev rev on rev.id = b.recipe_type_rev_id',
    },
    ...eventOrder('event', 'b.event_id'),
    ...batchOrder('root_batch', 'b.root_batch_id'),
    ...batchOrder('superseded_batch', 'b.superseded_batch_id'),
  },
};

export function listBatches<R extends object>(
  sql: Sql,
  filter: BatchFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'b.last_modified');
  conditions.anyOf('b.id', 'bigint', filter.batch_id);
  conditions.anyOf('b.recipe_type_id', 'bigint', filter.recipe_type_id);
  conditions.anyOf('b.root_batch_id', 'bigint', filter.root_batch_id);
  conditions.flag('b.is_creation_done', filter.is_creation_done);
  conditions.flag('b.is_superseded', filter.is_superseded);
  return listRecords(sql, BATCHES, conditions, order, page);
}

/** Milliseconds as an ISO-8601 duration of whole seconds, rounded half up: `P1DT2H0S`, `PT9M2S`. */
function duration(ms: string): string {
  const seconds = `floor(${ms} / 1000.0 + 0.5)::bigint`;
  const part = (amount: string, unit: string) =>
    `case when ${amount} > 0 then ${amount} || '${unit}' else '' end`;
  return `case when ${ms} is not null then 'P' || ${part(`${seconds} / 86400`, 'D')} || 'T'
    || ${part(`${seconds} % 86400 / 3600`, 'H')} || ${part(`${seconds} % 3600 / 60`, 'M')}
    || ${seconds} % 60 || 'S' end`;
}

function times(name: 'job' | 'seed'): Record<string, string> {
  const [count, sum] = [`sum(part.${name}_ms_count)`, `sum(part.${name}_ms_sum)`];
  return {
    [`min_${name}_duration`]: duration(`min(part.${name}_ms_min)`),
    [`avg_${name}_duration`]: duration(`(${sum} / nullif(${count}, 0))`),
    [`max_${name}_duration`]: duration(`max(part.${name}_ms_max)`),
  };
}

/** By job node of the revision's definition: counts and durations of its jobs. */
function metricsOf(batch: string, revision: string): string {
  const counts = JOB_COUNTS.map((name) => [name, `coalesce(sum(part.${name}), 0)::int`]);
  const metrics = object({ ...Object.fromEntries(counts), ...times('seed'), ...times('job') });
  return `(select coalesce(json_object_agg(metric.node, metric.record order by metric.node), '{}') from (
    select node.key as node, ${metrics} as record
    from jsonb_each(${revision}.definition->'nodes') as node
    left join lateral (
      select ${[...JOB_COUNTS, ...TIMED].join(', ')} from batch_count
      where batch_id = ${batch} and node = node.key
      union all
      select ${[...JOB_COUNTS, ...TIMED].join(', ')} from batch_count_delta
      where batch_id = ${batch} and node = node.key) as part on true
    where node.value->'node_type'->>'node_type' = 'job'
    group by node.key) as metric)`;
}

const TIMED = ['job', 'seed'].flatMap((name) =>
  ['count', 'sum', 'min', 'max'].map((figure) => `${name}_ms_${figure}`),
);

const DETAILS = object({
  ...HEAD,
  recipe_type_rev: object({ ...REVISION, definition: 'rev.definition', created: iso('rev.created') }),
  ...BODY,
  definition: 'b.definition',
  configuration: 'b.configuration',
  recipes_skipped: 'b.skipped_count',
  job_metrics: metricsOf('b.id', 'rev'),
});

export const FIND_BATCHES = {
  name: 'find_batches',
  text: `select b.id, ${DETAILS} as record from batch b ${JOINS} where b.id = any($1::bigint[])   -- = batch_pkey`,
};

/** Details of the batches that exist, by id. */
export function findBatches<R extends object>(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, R>> {
  return recordsById(sql, FIND_BATCHES, ids);
}

/** Undefined if there is no such batch. */
export async function findBatch<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  return (await findBatches<R>(sql, [id])).get(id);
}

export interface ChainBatch {
  readonly summary: { readonly id: number };
  readonly counts: Readonly<Record<string, number>>;
  readonly job_metrics: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

// limit: batches of one chain that are compared, newest first.
const CHAIN_MAX = 1_000;

/** All batches of the given batch's chain, in order; empty if there is no such batch. */
export async function chainOfBatch(sql: Sql, id: number): Promise<readonly ChainBatch[]> {
  const counts = object({
    ...columns('total', JOB_COUNTS),
    recipes_estimated: 'b.recipes_estimated',
    ...columns('total', ['recipes_total', 'recipes_completed']),
  });
  const rows = await sql.execute<ChainBatch>(
    `select ${object(summary('b'))} as summary, ${counts} as counts, ${metricsOf('b.id', 'rev')} as job_metrics
     from batch b join recipe_type_rev rev on rev.id = b.recipe_type_rev_id ${COUNT_JOIN}
     where b.root_batch_id = (select root_batch_id from batch where id = $1)
     order by b.id desc limit ${CHAIN_MAX}`,
    [id],
  );
  return rows.reverse();
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
     where b.root_batch_id = $1 and not b.is_superseded`,
    [rootBatchId],
  );
  return rows[0];
}

export async function countMembers(sql: Sql, datasetId: number): Promise<number> {
  const text = 'select count(*) as count from dataset_member where dataset_id = $1';
  const rows = await sql.execute<{ count: number }>(text, [datasetId]);
  return rows[0]?.count ?? 0;
}

/** Read models of jobs: list and details. */
import type { JobStatus } from '../../domain/job/job.ts';
import type { JobFilter } from '../../domain/listing/filters.ts';
import { EXECUTION_DETAILS, EXECUTION_JOINS } from '../execution/list.ts';
import { JOB_ACTIONS } from '../job-request/actions.ts';
import { COUNTED_BATCH_JOBS, COUNTED_JOBS } from '../metrics/list-counts.ts';
import { addSourceFilter } from '../recipe/list.ts';
import type { CounterColumns } from '../sql/conditions.ts';
import { countedBySpans } from '../sql/counted.ts';
import { expression, idOrNull, nestedOrder, object, orNull, row, type ValueOf } from '../sql/fields.ts';
import { listOf, type PageBounds, recordsById, type WantedFields } from '../sql/listing.ts';
import {
  batchById,
  batchOrder,
  errorOrder,
  errorRecord,
  eventOrder,
  eventRecord,
  jobTypeOrder,
  jobTypeSummary,
  nodeSummary,
  recipeOrder,
  recipeSummary,
  sourceFields,
  sourceOrder,
} from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { JOB_REASON, QUEUED_REASON } from './reasons.ts';
import { waitsForInput, waitsForInputOfType } from './waiting.ts';

const INSTANTS = [
  'created',
  'queued',
  'started',
  'ended',
  'last_status_change',
  'superseded',
  'last_modified',
] as const;

/**
 * The recipe that holds the job at present: the one it was created for, or a later one that carried it over; and its
 * batch.
 */
const RECIPE_ID = 'coalesce(j.live_recipe_id, j.recipe_id)';
const BATCH_ID = '(case when j.live_recipe_id is null then j.batch_id else j.live_batch_id end)';
const RECIPE_JOIN = `left join (recipe r join recipe_type rt on rt.id = r.recipe_type_id)
  on r.id = ${RECIPE_ID}`;

const JOINS = `join job_type jt on jt.id = j.job_type_id
  join job_type_rev rev on rev.id = j.job_type_rev_id
  join event e on e.id = j.event_id
  left join node on node.id = j.node_id
  left join error on error.id = j.error_id
  ${RECIPE_JOIN}`;

const INPUT_FILES = expression<Record<string, string[]>>(
  `(select coalesce(json_object_agg(given.input, given.names order by given.input), '{}')
  from (
    select link.input, json_agg(file.file_name order by file.id) as names
    from job_input_file link join file on file.id = link.file_id
    where link.job_id = j.id group by link.input) as given)`,
);

const j = row('job', 'j');
const rev = row('job_type_rev', 'rev');

const REVISION = {
  ...rev.columns('id'),
  job_type: object({ id: rev.column('job_type_id') }),
  ...rev.columns('revision_num'),
};

const HEAD = { ...j.columns('id', 'object_version'), job_type: jobTypeSummary('jt') };
const BODY = {
  event: eventRecord('e'),
  recipe: orNull('r.id', recipeSummary('r', 'rt')),
  batch: batchById(BATCH_ID),
  ...j.columns('is_superseded'),
};
const MEASURES = {
  status: j.oneOf<JobStatus>('status'),
  node: orNull('node.id', nodeSummary('node')),
  error: orNull('error.id', errorRecord('error')),
  reason: expression<string | null>(JOB_REASON),
  ...j.columns('num_exes', 'input_file_size'),
  input_files: INPUT_FILES,
  ...sourceFields('j'),
  ...j.instants(...INSTANTS),
};

const TYPE_JOIN = 'join job_type jt on jt.id = j.job_type_id';
const NODE_JOIN = 'left join node on node.id = j.node_id';
const ERROR_JOIN = 'left join error on error.id = j.error_id';

const JOBS = {
  rows: j,
  counted: [COUNTED_JOBS, COUNTED_BATCH_JOBS],
  countedBySpans: countedBySpans('job', 'j', ['source_started', 'source_ended']),
  joins: JOINS,
  fields: {
    ...HEAD,
    job_type_rev: object(REVISION),
    ...BODY,
    superseded_job: idOrNull(j.column('superseded_job_id')),
    ...MEASURES,
  },
  order: {
    ...j.order('id', 'status', 'num_exes', 'max_tries', 'input_file_size', 'is_superseded', ...INSTANTS),
    ...sourceOrder('j'),
    reason: { by: `lower(${JOB_REASON})`, join: TYPE_JOIN },
    duration: { by: '(j.ended - j.started)' },
    job_type: { by: 'lower(jt.name)', join: TYPE_JOIN },
    ...nestedOrder('job_type', 'j.job_type_id', TYPE_JOIN, jobTypeOrder('jt')),
    job_type_rev__id: { by: 'j.job_type_rev_id' },
    job_type_rev__job_type__id: { by: 'j.job_type_id' },
    job_type_rev__revision_num: {
      by: 'rev.revision_num',
      join: 'join job_type_rev rev on rev.id = j.job_type_rev_id',
    },
    ...eventOrder('j.event_id'),
    node: { by: 'lower(node.hostname)', join: NODE_JOIN },
    ...nestedOrder('node', 'j.node_id', NODE_JOIN, row('node', 'node').textOrder('hostname')),
    ...nestedOrder('error', 'j.error_id', ERROR_JOIN, errorOrder('error')),
    recipe: { by: 'lower(rt.name)', join: RECIPE_JOIN },
    ...recipeOrder(RECIPE_ID, 'r', 'rt', RECIPE_JOIN),
    ...batchOrder('batch', BATCH_ID),
    superseded_job__id: { by: 'j.superseded_job_id' },
  },
};

export const listJobs = listOf(JOBS, (where, filter: JobFilter) => {
  where.leaveOutTrials('j.job_type_id');
  addSourceFilter(where, 'j', filter);
  where.anyOf('j.status', 'text', filter.status);
  where.anyOf('j.id', 'bigint', filter.job_id);
  where.anyOf('j.job_type_id', 'bigint', filter.job_type_id);
  where.anyWith('j.job_type_id', 'job_type', 'name', filter.job_type_name);
  where.anyWith('j.job_type_id', 'job_type', 'version', filter.job_type_version);
  where.anyOfEither('j.batch_id', 'j.live_batch_id', filter.batch_id);
  if (filter.recipe_id.length > 0) {
    const ids = `any(${where.param(filter.recipe_id)}::bigint[])`;
    where.add(`(j.recipe_id = ${ids} or j.live_recipe_id = ${ids})`);
  }
  where.anyWith('j.error_id', 'error', 'category', filter.error_category);
  where.anyOf('j.error_id', 'bigint', filter.error_id);
  if (filter.running_node_id.length > 0) {
    const ids = `any(${where.param(filter.running_node_id)}::bigint[])`;
    // = job_exe_running_idx
    where.add(`j.id in (select x.job_id from job_exe x where x.node_id = ${ids} and x.status = 'RUNNING')`);
  }
  // = job_live_status_idx
  if (filter.waits_for.length > 0) where.addCounted(waitsForInput('j'), waitingInCounters);
  where.flag('j.is_superseded', filter.is_superseded);
});

function waitingInCounters(columns: CounterColumns): string | undefined {
  const { 'j.status': status, 'j.job_type_id': jobTypeId } = columns;
  return status && jobTypeId && waitsForInputOfType(status, jobTypeId);
}

interface IngestWork {
  readonly job_id: number | null;
  readonly recipe_ids: readonly number[];
}

const jobsOfIngest = listOf(JOBS, (where, { job_id: jobId, recipe_ids: recipeIds }: IngestWork) => {
  const [job, recipes] = [where.param(jobId), where.param(recipeIds)];
  where.add(`(j.id = ${job}::bigint or j.recipe_id = any(${recipes}::bigint[]))`);
});

/**
 * The job of an ingest and those of the recipe that it started, including sub-recipes. Undefined if there is no such
 * ingest.
 */
export async function listJobsOfIngest(
  sql: Sql,
  ingestId: number,
  order: Parameters<typeof listJobs>[2],
  page: PageBounds,
  wanted: WantedFields,
) {
  const [work] = await sql.execute<IngestWork>(OF_INGEST, [ingestId]);
  return work && jobsOfIngest(sql, work, order, page, wanted);
}

// Relies on recipe_ingest_key and recipe_chain_idx.
const OF_INGEST = /* sql */ `
  select i.job_id, array(
    select held.id from recipe root
    join recipe held on held.chain_id = root.chain_id and (held.id = root.id or held.root_id = root.id)
    where root.ingest_id = i.id and root.parent_id is null
  ) as recipe_ids
  from ingest i where i.id = $1`;

function dataOf(column: string) {
  return object({
    files: expression<Record<string, number[]>>(`coalesce(${column}->'files', '{}')`),
    json: expression<Record<string, unknown>>(`coalesce(${column}->'json', '{}')`),
  });
}

/** Another job of the chain, as details show it, where there may be one. */
function neighbour(mayBe: string, condition: string) {
  const other = row('job', 'other');
  const record = object({
    ...other.columns('id'),
    job_type: jobTypeSummary('other_type'),
    status: other.oneOf<JobStatus>('status'),
  });
  return expression<ValueOf<typeof record> | null>(`case when ${mayBe} then (select ${record}
    from job other join job_type other_type on other_type.id = other.job_type_id
    where ${condition} order by other.id desc limit 1) end`);
}

/**
 * Its own configuration or its type's, with the priority that it is queued with: that of a batch or requeue takes
 * precedence.
 */
const CONFIGURATION = `coalesce(j.configuration, jt.configuration) || jsonb_build_object('priority', j.priority)`;

const EXECUTION = expression<ValueOf<typeof EXECUTION_DETAILS> | null>(
  `(select ${EXECUTION_DETAILS} from job_exe x ${EXECUTION_JOINS}
    where x.job_id = j.id and x.exe_num = j.num_exes)`,
);

const DETAILS = object({
  ...HEAD,
  job_type_rev: object({
    ...REVISION,
    ...rev.columns('container_image'),
    ...rev.instants('created'),
    manifest: rev.document('manifest'),
  }),
  ...BODY,
  superseded_job: neighbour('j.superseded_job_id is not null', 'other.id = j.superseded_job_id'),
  superseded_by_job: neighbour('j.is_superseded', 'other.superseded_job_id = j.id'),
  ...MEASURES,
  actions: JOB_ACTIONS,
  resources: object({ resources: j.document<Record<string, number>>('resources') }),
  ...j.columns('max_tries'),
  timeout: j.column('timeout_s'),
  execution: EXECUTION,
  input: dataOf('j.input'),
  output: dataOf('j.output'),
  configuration: expression<Record<string, unknown>>(CONFIGURATION),
});

export const FIND_JOBS = {
  name: 'find_jobs',
  isKeyed: true,
  record: DETAILS,
  text: `select j.id, ${DETAILS} as record from job j ${JOINS} where j.id = any($1::bigint[])   -- = job_pkey`,
};

/** Why new jobs are not placed yet, by id; null or missing: for no reason. */
export function newJobReasons(sql: Sql, ids: readonly number[]) {
  return recordsById<string | null>(sql, NEW_JOB_REASONS, ids);
}

const NEW_JOB_REASONS = {
  name: 'new_job_reasons',
  isKeyed: true,
  record: expression<string | null>(QUEUED_REASON),
  text: `select j.id, ${QUEUED_REASON} as record from job j ${TYPE_JOIN}
    where j.id = any($1::bigint[]) and j.status = 'QUEUED' and j.num_exes = 1   -- = job_pkey`,
};

/** Details of the jobs that exist, by id. */
export function findJobs(sql: Sql, ids: readonly number[]) {
  return recordsById(sql, FIND_JOBS, ids);
}

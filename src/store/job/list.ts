/** Read models of jobs: list and details. */
import type { JobFilter } from '../../domain/listing/filters.ts';
import { EXECUTION_DETAILS, EXECUTION_JOINS } from '../execution/list.ts';
import { COUNTED_BATCH_JOBS, COUNTED_JOBS } from '../metrics/list-counts.ts';
import { addSourceFilter, recipeSummary } from '../recipe/list.ts';
import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type OrderKey,
  type PageBounds,
  plainOrder,
  recordsById,
  textOrder,
} from '../sql/listing.ts';
import { batchOrder, errorOrder, eventOrder, jobTypeOrder, recipeOrder } from '../sql/record-order.ts';
import {
  batchRef,
  columns,
  errorRecord,
  eventRecord,
  instants,
  iso,
  jobTypeSummary,
  nodeSummary,
  object,
  objectIf,
  sourceFields,
} from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { JOB_REASON } from './reasons.ts';

const SOURCES = ['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'];
const SOURCE_INSTANTS = ['source_started', 'source_ended'];
const INSTANTS = [
  ...['created', 'queued', 'started', 'ended', 'last_status_change', 'superseded', 'last_modified'],
];

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

const INPUT_FILES = `(select coalesce(json_object_agg(given.input, given.names order by given.input), '{}')
  from (
    select link.input, json_agg(file.file_name order by file.id) as names
    from job_input_file link join file on file.id = link.file_id
    where link.job_id = j.id group by link.input) as given)`;

const REVISION = {
  id: 'rev.id',
  job_type: object({ id: 'rev.job_type_id' }),
  revision_num: 'rev.revision_num',
};

const HEAD = { id: 'j.id', job_type: jobTypeSummary('jt') };
const BODY = {
  event: eventRecord('e'),
  recipe: recipeSummary('r', 'rt'),
  batch: batchRef(BATCH_ID),
  is_superseded: 'j.is_superseded',
};
const MEASURES = {
  status: 'j.status',
  node: nodeSummary('node'),
  error: errorRecord('error'),
  reason: JOB_REASON,
  num_exes: 'j.num_exes',
  input_file_size: 'j.input_file_size',
  input_files: INPUT_FILES,
  ...sourceFields('j'),
  ...instants('j', INSTANTS),
};

const TYPE_JOIN = 'join job_type jt on jt.id = j.job_type_id';
const NODE_JOIN = 'left join node on node.id = j.node_id';
const ERROR_JOIN = 'left join error on error.id = j.error_id';

const JOBS: ListShape = {
  from: 'job j',
  counted: [COUNTED_JOBS, COUNTED_BATCH_JOBS],
  id: 'j.id',
  joins: JOINS,
  record: object({
    ...HEAD,
    job_type_rev: object(REVISION),
    ...BODY,
    superseded_job: objectIf('j.superseded_job_id', { id: 'j.superseded_job_id' }),
    ...MEASURES,
  }),
  order: {
    ...plainOrder('j', ['id', 'status', 'num_exes', 'max_tries', 'input_file_size', 'is_superseded']),
    ...plainOrder('j', [...SOURCE_INSTANTS, ...INSTANTS]),
    ...textOrder('j', SOURCES),
    reason: { by: `lower(${JOB_REASON})`, join: TYPE_JOIN },
    duration: { by: '(j.ended - j.started)' },
    job_type: { by: 'lower(jt.name)', join: TYPE_JOIN },
    ...jobTypeOrder('job_type', 'j.job_type_id', { alias: 'jt', join: TYPE_JOIN }),
    job_type_rev__id: { by: 'j.job_type_rev_id' },
    job_type_rev__job_type__id: { by: 'j.job_type_id' },
    job_type_rev__revision_num: {
      by: 'rev.revision_num',
      join: 'join job_type_rev rev on rev.id = j.job_type_rev_id',
    },
    ...eventOrder('event', 'j.event_id'),
    node: { by: 'lower(node.hostname)', join: NODE_JOIN },
    node__id: { by: 'j.node_id' },
    node__hostname: { by: 'lower(node.hostname)', join: NODE_JOIN },
    ...errorOrder('error', 'j.error_id', { alias: 'error', join: ERROR_JOIN }),
    recipe: { by: 'lower(rt.name)', join: RECIPE_JOIN },
    ...recipeOrder('recipe', RECIPE_ID, { alias: 'r', join: RECIPE_JOIN }, 'rt'),
    ...batchOrder('batch', BATCH_ID),
    superseded_job__id: { by: 'j.superseded_job_id' },
  },
};

export function listJobs<R extends object>(
  sql: Sql,
  filter: JobFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  addSourceFilter(conditions, 'j', filter);
  conditions.anyOf('j.status', 'text', filter.status);
  conditions.anyOf('j.id', 'bigint', filter.job_id);
  conditions.anyOf('j.job_type_id', 'bigint', filter.job_type_id);
  if (filter.job_type_name.length > 0) {
    const names = conditions.param(filter.job_type_name);
    conditions.addOn(
      'j.job_type_id',
      (operand) => `${operand} = any(array(select id from job_type where name = any(${names}::text[])))`,
    );
  }
  if (filter.job_type_version.length > 0) {
    const versions = conditions.param(filter.job_type_version);
    conditions.addOn(
      'j.job_type_id',
      (operand) =>
        `${operand} = any(array(select id from job_type where version = any(${versions}::text[])))`,
    );
  }
  conditions.anyOfEither('j.batch_id', 'j.live_batch_id', filter.batch_id);
  if (filter.recipe_id.length > 0) {
    const ids = `any(${conditions.param(filter.recipe_id)}::bigint[])`;
    conditions.add(`(j.recipe_id = ${ids} or j.live_recipe_id = ${ids})`);
  }
  if (filter.error_category.length > 0) {
    const categories = conditions.param(filter.error_category);
    conditions.addOn(
      'j.error_id',
      (operand) =>
        `${operand} = any(array(select id from error where category = any(${categories}::text[])))`,
    );
  }
  conditions.anyOf('j.error_id', 'bigint', filter.error_id);
  conditions.flag('j.is_superseded', filter.is_superseded);
  return listRecords(sql, JOBS, conditions, order, page);
}

/**
 * The job of an ingest and those of the recipe that it started, including sub-recipes. Undefined if there is no such
 * ingest.
 */
export async function listJobsOfIngest<R extends object>(
  sql: Sql,
  ingestId: number,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R> | undefined> {
  const [ingest] = await sql.execute<{ job_id: number | null; recipe_ids: number[] }>(OF_INGEST, [ingestId]);
  if (ingest === undefined) return undefined;
  const conditions = new Conditions();
  const [jobId, recipeIds] = [conditions.param(ingest.job_id), conditions.param(ingest.recipe_ids)];
  conditions.add(`(j.id = ${jobId}::bigint or j.recipe_id = any(${recipeIds}::bigint[]))`);
  return listRecords(sql, JOBS, conditions, order, page);
}

// Relies on recipe_ingest_key and recipe_chain_idx.
const OF_INGEST = /* sql */ `
  select i.job_id, array(
    select held.id from recipe root
    join recipe held on held.chain_id = root.chain_id and (held.id = root.id or held.root_id = root.id)
    where root.ingest_id = i.id and root.parent_id is null
  ) as recipe_ids
  from ingest i where i.id = $1`;

function dataOf(column: string): string {
  const files = `coalesce(${column}->'files', '{}')`;
  return object({ files, json: `coalesce(${column}->'json', '{}')` });
}

/** Another job of the chain, for details. */
function neighbour(condition: string): string {
  const record = object({ id: 'other.id', job_type: jobTypeSummary('other_type'), status: 'other.status' });
  return `(select ${record} from job other join job_type other_type on other_type.id = other.job_type_id
    where ${condition} order by other.id desc limit 1)`;
}

/**
 * Its own configuration or its type's, with the priority that it is queued with: that of a batch or requeue takes
 * precedence.
 */
const CONFIGURATION = `coalesce(j.configuration, jt.configuration) || jsonb_build_object('priority', j.priority)`;

const DETAILS = object({
  ...HEAD,
  job_type_rev: object({
    ...REVISION,
    container_image: 'rev.container_image',
    created: iso('rev.created'),
    manifest: 'rev.manifest',
  }),
  ...BODY,
  superseded_job: `case when j.superseded_job_id is not null
    then ${neighbour('other.id = j.superseded_job_id')} end`,
  superseded_by_job: `case when j.is_superseded then ${neighbour('other.superseded_job_id = j.id')} end`,
  ...MEASURES,
  resources: object({ resources: 'j.resources' }),
  ...columns('j', ['max_tries']),
  timeout: 'j.timeout_s',
  execution: `(select ${EXECUTION_DETAILS} from job_exe x ${EXECUTION_JOINS}
    where x.job_id = j.id and x.exe_num = j.num_exes)`,
  input: dataOf('j.input'),
  output: dataOf('j.output'),
  configuration: CONFIGURATION,
});

export const FIND_JOBS = {
  name: 'find_jobs',
  isKeyed: true,
  text: `select j.id, ${DETAILS} as record from job j ${JOINS} where j.id = any($1::bigint[])   -- = job_pkey`,
};

/** Details of the jobs that exist, by id. */
export function findJobs<R extends object>(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, R>> {
  return recordsById(sql, FIND_JOBS, ids);
}

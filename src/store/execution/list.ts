/** Lists of job executions, and the output of their tasks. */
import type { ExecutionStatus } from '../../domain/job/job.ts';
import type { LogCut, UsedSource } from '../../domain/task/task-result.ts';
import { expression, iso, listIn, object, orNull, row } from '../sql/fields.ts';
import { findRecord, listOf, type PageBounds, type WantedFields } from '../sql/listing.ts';
import { errorRecord, jobTypeSummary, nodeSummary } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface ExecutionFilter {
  readonly status: readonly string[];
  readonly node_id: readonly number[];
  readonly error_id: readonly number[];
  readonly error_category: readonly string[];
}

/** Joins for the execution behind `x`; `jt` is its job type. */
export const EXECUTION_JOINS = `left join node x_node on x_node.id = x.node_id
  left join error x_error on x_error.id = x.error_id
  left join job_type x_type on x_type.id = x.job_type_id`;

const x = row('job_exe', 'x');
const CLUSTER_ID = `'millrace_job_' || x.job_id || 'x' || x.exe_num`;
const FIGURE = (name: string) => expression<number | null>(`(x.used->>'${name}')::int8`);

/** What it used; null if nothing was measured. */
const USED = orNull(
  'x.used',
  object({
    source: expression<UsedSource>(`x.used->>'source'`),
    memory_bytes: FIGURE('memoryBytes'),
    processor_seconds: expression<number | null>(`(x.used->>'processorUs')::int8 / 1e6::float8`),
    read_bytes: FIGURE('readBytes'),
    written_bytes: FIGURE('writtenBytes'),
    disk_bytes: FIGURE('diskBytes'),
  }),
);

const FIELDS = {
  ...x.columns('id', 'object_version'),
  status: x.oneOf<ExecutionStatus>('status'),
  ...x.columns('exe_num'),
  cluster_id: expression<string>(CLUSTER_ID),
  ...x.instants('created', 'queued', 'started', 'ended', 'last_modified'),
  job: object({ id: x.column('job_id') }),
  node: orNull('x_node.id', nodeSummary('x_node')),
  error: orNull('x_error.id', errorRecord('x_error')),
  ...x.columns('reason'),
  job_type: jobTypeSummary('x_type'),
  timeout: x.column('timeout_s'),
  ...x.columns('input_file_size', 'image_digest'),
  used: USED,
  log_cut: x.document<LogCut>('log_cut'),
};

const OUTPUT_DATA = listIn(
  object({ name: expression<string>('output.key'), file_id: expression<number>('file.value') }),
  `jsonb_each(coalesce(x.output->'files', '{}')) as output,
    jsonb_array_elements(output.value) with ordinality as file(value, place)`,
  'output.key, file.place',
);

/** An execution that did not complete failed in its last task. */
const TASK_STATUS = expression<'FINISHED' | 'KILLED' | 'FAILED'>(`case
  when x.status = 'COMPLETED' or task.place < jsonb_array_length(x.task_results->'phases') then 'FINISHED'
  when x.status = 'CANCELED' then 'KILLED' else 'FAILED' end`);

const TASK_TIME = (field: string) => iso(`to_timestamp((task.value->>'${field}')::float8 / 1000)`);
const TASK_PHASE = `task.value->>'phase'`;

const TASK = object({
  task_id: expression<string>(`${CLUSTER_ID} || '_' || (${TASK_PHASE})`),
  type: expression<string>(TASK_PHASE),
  was_launched: expression<boolean>('true'),
  launched: TASK_TIME('startedMs'),
  was_started: expression<boolean>('true'),
  started: TASK_TIME('startedMs'),
  was_timed_out: expression<boolean>(`(task.value->>'isTimedOut')::boolean`),
  ended: TASK_TIME('endedMs'),
  status: TASK_STATUS,
  exit_code: expression<number | null>(`(task.value->>'exitCode')::int`),
});

/** The result of each task in the terms of the public system; null before the execution has ended. */
const TASK_RESULTS = orNull(
  'x.task_results',
  object({
    version: expression<string>(`'1.0'`),
    tasks: listIn(
      TASK,
      `jsonb_array_elements(x.task_results->'phases') with ordinality as task(value, place)`,
      'task.place',
    ),
  }),
);

/** The execution behind `x` with the results of its tasks. `readExecutionFacts` describes the tasks. */
export const EXECUTION_DETAILS = object({
  ...FIELDS,
  task_results: TASK_RESULTS,
  resources: object({ resources: x.document<Record<string, number>>('resources') }),
  output: object({
    output_data: OUTPUT_DATA,
    files: expression<Record<string, number[]>>(`coalesce(x.output->'files', '{}')`),
    json: expression<Record<string, unknown>>(`coalesce(x.output->'json', '{}')`),
  }),
});

const EXECUTIONS = { rows: x, joins: EXECUTION_JOINS, fields: FIELDS, order: x.order('exe_num') };
const NEWEST = [{ field: 'exe_num', isDescending: true }] as const;

const executionsOf = listOf(
  EXECUTIONS,
  (where, { jobId, filter }: { readonly jobId: number; readonly filter: ExecutionFilter }) => {
    where.anyOf('x.job_id', 'bigint', [jobId]);
    where.anyOf('x.status', 'text', filter.status);
    where.anyOf('x.node_id', 'bigint', filter.node_id);
    where.anyOf('x.error_id', 'bigint', filter.error_id);
    where.anyWith('x.error_id', 'error', 'category', filter.error_category);
  },
);

/** Executions of a job, newest first; undefined if there is no such job. */
export async function listExecutions(
  sql: Sql,
  jobId: number,
  filter: ExecutionFilter,
  page: PageBounds,
  wanted: WantedFields,
) {
  const [jobs, listed] = await Promise.all([
    sql.execute('select from job where id = $1', [jobId]),
    executionsOf(sql, { jobId, filter }, NEWEST, page, wanted),
  ]);
  return jobs.length === 0 ? undefined : listed;
}

/** Undefined if there is no such job or execution. */
export function findExecution(sql: Sql, jobId: number, exeNum: number) {
  const from = `job_exe x ${EXECUTION_JOINS} where x.job_id = $1 and x.exe_num = $2::bigint`;
  return findRecord(sql, EXECUTION_DETAILS, from, [jobId, exeNum]);
}

/** A piece of a task's output. */
export interface LogChunk {
  /** Byte offset in its stream. */
  readonly seq: number;
  readonly atMs: number;
  readonly content: Buffer;
}

// limit: chunks of one read.
const CHUNKS_MAX = 64;

const LOG_CHUNKS = {
  name: 'read_job_log',
  // = job_log_pkey
  text: `select seq, date_trunc('milliseconds', at) as "atMs", content from job_log
    where job_exe_id = $1 and stream = $2 and seq > $3 and at >= to_timestamp($4::float8 / 1000)
    order by seq limit ${CHUNKS_MAX}`,
};

/**
 * The next chunks of a stream after offset `afterSeq` (-1: from its start) that came at `sinceMs` or later.
 */
export function readLog(
  sql: Sql,
  wanted: { readonly executionId: number; readonly stream: 'stdout' | 'stderr'; readonly sinceMs: number },
  afterSeq: number,
): Promise<LogChunk[]> {
  return sql.execute<LogChunk>(LOG_CHUNKS, [wanted.executionId, wanted.stream, afterSeq, wanted.sinceMs]);
}

export async function hasExecution(sql: Sql, executionId: number): Promise<boolean> {
  return (await sql.execute('select from job_exe where id = $1', [executionId])).length > 0;
}

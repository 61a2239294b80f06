/** Lists of job executions, and the output of their tasks. */

import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type PageBounds,
  plainOrder,
} from '../sql/listing.ts';
import { columns, errorRecord, instants, iso, jobTypeSummary, nodeSummary, object } from '../sql/records.ts';
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

const FIELDS = {
  ...columns('x', ['id', 'status', 'exe_num']),
  cluster_id: `'millrace_job_' || x.job_id || 'x' || x.exe_num`,
  ...instants('x', ['created', 'queued', 'started', 'ended', 'last_modified']),
  job: object({ id: 'x.job_id' }),
  node: nodeSummary('x_node'),
  error: errorRecord('x_error'),
  reason: 'x.reason',
  job_type: jobTypeSummary('x_type'),
  timeout: 'x.timeout_s',
  input_file_size: 'x.input_file_size',
};

const OUTPUT_DATA = `(select coalesce(json_agg(${object({ name: 'output.key', file_id: 'file.value' })}
    order by output.key, file.place), '[]')
  from jsonb_each(coalesce(x.output->'files', '{}')) as output,
    jsonb_array_elements(output.value) with ordinality as file(value, place))`;

/** An execution that did not complete failed in its last task. */
const TASK_STATUS = `case
  when x.status = 'COMPLETED' or task.place < jsonb_array_length(x.task_results->'phases') then 'FINISHED'
  when x.status = 'CANCELED' then 'KILLED' else 'FAILED' end`;

const TASK_TIME = (field: string) => iso(`to_timestamp((task.value->>'${field}')::float8 / 1000)`);

/** The result of each task in the terms of the public system; null before the execution has ended. */
const TASK_RESULTS = `case when x.task_results is not null then ${object({
  version: `'1.0'`,
  tasks: `(select json_agg(${object({
    task_id: `'millrace_job_' || x.job_id || 'x' || x.exe_num || '_' || (task.value->>'phase')`,
    type: `task.value->>'phase'`,
    was_launched: 'true',
    launched: TASK_TIME('startedMs'),
    was_started: 'true',
    started: TASK_TIME('startedMs'),
    was_timed_out: `(task.value->>'isTimedOut')::boolean`,
    ended: TASK_TIME('endedMs'),
    status: TASK_STATUS,
    exit_code: `(task.value->>'exitCode')::int`,
  })} order by task.place)
    from jsonb_array_elements(x.task_results->'phases') with ordinality as task(value, place))`,
})} end`;

/** The execution behind `x` with the results of its tasks. `readExecutionFacts` describes the tasks. */
export const EXECUTION_DETAILS = object({
  ...FIELDS,
  task_results: TASK_RESULTS,
  resources: object({ resources: 'x.resources' }),
  output: object({
    output_data: OUTPUT_DATA,
    files: `coalesce(x.output->'files', '{}')`,
    json: `coalesce(x.output->'json', '{}')`,
  }),
});

const EXECUTIONS: ListShape = {
  from: 'job_exe x',
  id: 'x.id',
  joins: EXECUTION_JOINS,
  record: object(FIELDS),
  order: plainOrder('x', ['exe_num']),
};

/** Executions of a job, newest first; undefined if there is no such job. */
export async function listExecutions<R extends object>(
  sql: Sql,
  jobId: number,
  filter: ExecutionFilter,
  page: PageBounds,
): Promise<Listed<R> | undefined> {
  const conditions = new Conditions();
  conditions.anyOf('x.job_id', 'bigint', [jobId]);
  conditions.anyOf('x.status', 'text', filter.status);
  conditions.anyOf('x.node_id', 'bigint', filter.node_id);
  conditions.anyOf('x.error_id', 'bigint', filter.error_id);
  if (filter.error_category.length > 0) {
    const categories = conditions.param(filter.error_category);
    conditions.add(`x.error_id in (select id from error where category = any(${categories}::text[]))`);
  }
  const newest = [{ field: 'exe_num', isDescending: true }];
  const [listed, jobs] = await Promise.all([
    listRecords<R>(sql, EXECUTIONS, conditions, newest, page),
    sql.execute('select from job where id = $1', [jobId]),
  ]);
  return jobs.length === 0 ? undefined : listed;
}

/** Undefined if there is no such job or execution. */
export async function findExecution<R extends object>(
  sql: Sql,
  jobId: number,
  exeNum: number,
): Promise<R | undefined> {
  const rows = await sql.execute<{ record: R }>(
    `select ${EXECUTION_DETAILS} as record from job_exe x ${EXECUTION_JOINS}
     where x.job_id = $1 and x.exe_num = $2::bigint`,
    [jobId, exeNum],
  );
  return rows[0]?.record;
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

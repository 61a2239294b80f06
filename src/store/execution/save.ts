/**
 * Executions of a group: those that begin copy the values that were fixed when their job was queued; those that end
 * record the result.
 */
import type { ExecutionEnd } from '../../domain/job/job.ts';
import type { PhaseTime } from '../../domain/task/task-result.ts';
import { errorIdSql, reasonOf } from '../error/error-sql.ts';
import type { QueuedStart } from '../job/pending-rows.ts';
import { JobExeEntity } from '../job/table.ts';
import { addStarts } from '../metrics/daily-starts.ts';
import { countExecutions } from '../metrics/hour-totals.ts';
import type { Group } from '../sql/group.ts';
import { guarded } from '../sql/guard-sql.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { isNoTrial } from '../sql/trials.ts';
import { UniformRows } from '../sql/uniform-rows.ts';

const STARTS = rowsOf(JobExeEntity).from<QueuedStart>(
  {
    id: (row) => row.executionId,
    jobId: (row) => row.jobId,
    exeNum: (row) => row.exeNum,
    nodeId: (row) => row.nodeId,
    queued: (row) => row.queuedMs,
  },
  [['at', 'ms', (row) => row.atMs]],
);

/** A job is counted on the day of its last start; if it starts again, it moves to that day. */
const STARTED_JOBS = /* sql */ `
  select job_type_id as type_id, started, 1 as count from begun where ${isNoTrial('job_type_id')}
  union all
  select begun.job_type_id, before.started, -1 from begun cross join lateral (
    select x.started from job_exe x where begun.exe_num > 1 and x.job_id = begun.job_id
      and x.exe_num < begun.exe_num order by x.exe_num desc limit 1) as before   -- = job_exe_num_key
  where ${isNoTrial('begun.job_type_id')}`;

const INSERT_EXECUTIONS = {
  name: 'insert_executions',
  text: /* sql */ `
    with begun as (
      insert into job_exe (id, job_id, exe_num, job_type_id, recipe_id, batch_id, node_id, status, resources,
        timeout_s, input_file_size, created, queued, started, last_modified)
      select d.id, d.job_id, d.exe_num, j.job_type_id, j.recipe_id, j.batch_id, d.node_id, 'RUNNING',
        j.resources, j.timeout_s, j.input_file_size, d.at, d.queued, d.at, d.at
      from ${STARTS.table('d')} join job j on j.id = d.job_id   -- = job_pkey
      returning job_id, exe_num, job_type_id, started)
    ${addStarts('job', STARTED_JOBS)}`,
};

/**
 * Inserts executions of jobs that were just moved to RUNNING. `job_exe_num_key` refuses a second one with the same
 * number.
 */
export async function startExecutions(sql: Sql, starts: readonly QueuedStart[]): Promise<void> {
  if (starts.length > 0) await sql.execute(INSERT_EXECUTIONS, STARTS.params(starts));
}

const ENDS = rowsOf(JobExeEntity).from<ExecutionEnd>(
  {
    id: (row) => row.executionId,
    status: (row) => row.status,
    reason: (row) => reasonOf(row.error),
    output: (row) => row.output,
    taskResults: (row) => (row.phases.length === 0 ? null : { phases: row.phases }),
    seedStarted: (row) => mainPhase(row)?.startedMs,
    seedEnded: (row) => mainPhase(row)?.endedMs,
    used: (row) => row.facts?.used,
    imageDigest: (row) => row.facts?.imageDigest,
    logCut: (row) => row.facts?.logCut,
  },
  [
    ['error_name', 'text', (row) => row.error?.name],
    ['is_builtin', 'bool', (row) => row.error?.isBuiltin],
    ['first_started', 'ms', (row) => row.phases[0]?.startedMs],
    ['at', 'ms', (row) => row.atMs],
    ['pre_ms', 'id', (row) => lengthMs(row.phases.find((phase) => phase.phase === 'pre'))],
    ['main_ms', 'id', (row) => lengthMs(mainPhase(row))],
    ['post_ms', 'id', (row) => lengthMs(row.phases.find((phase) => phase.phase === 'post'))],
    ['tasks_ms', 'id', (row) => tasksMs(row)],
  ],
);

function mainPhase(end: ExecutionEnd) {
  return end.phases.find((phase) => phase.phase === 'main');
}

/** Null if it did not finish. */
function lengthMs(phase: PhaseTime | undefined): number | null {
  if (phase === undefined || phase.endedMs === null) return null;
  return Math.round(Math.max(0, phase.endedMs - phase.startedMs));
}

/** The sum over all tasks; null if none finished. */
function tasksMs(end: ExecutionEnd): number | null {
  const lengths = end.phases.map(lengthMs).filter((length) => length !== null);
  return lengths.length === 0 ? null : lengths.reduce((sum, length) => sum + length, 0);
}

/** Orders the times of phases, none after the end. */
export function endInOrder(end: ExecutionEnd): ExecutionEnd {
  let lastMs = 0;
  const next = (ms: number): number => {
    lastMs = Math.min(Math.max(ms, lastMs), end.atMs);
    return lastMs;
  };
  const phases = end.phases.map((phase) => {
    const startedMs = next(phase.startedMs);
    return { ...phase, startedMs, endedMs: phase.endedMs === null ? null : next(phase.endedMs) };
  });
  return { ...end, phases };
}

/** `d.task_results` with no time before the execution's start. */
const LATER_TASK_RESULTS = /* sql */ `jsonb_build_object('phases', (
  select jsonb_agg(p.phase || (select jsonb_object_agg(name,
      case when p.phase -> name <> 'null' then greatest((p.phase ->> name)::numeric, s.ms) end)
    from (values ('startedMs'), ('endedMs')) as instants (name)) order by p.place)
  from jsonb_array_elements(d.task_results -> 'phases') with ordinality as p (phase, place)
  cross join (select round(extract(epoch from x.started) * 1000) as ms) as s))`;

/** No time that an agent reports, and no end, is stored as earlier than the start of the execution. */
const END_EXECUTIONS_IF_RUNNING = new UniformRows(
  'end_executions_if_running',
  ENDS,
  [
    ...['id', 'output', 'task_results', 'seed_started', 'seed_ended', 'used', 'first_started', 'at'],
    ...['pre_ms', 'main_ms', 'post_ms', 'tasks_ms'],
  ],
  (table) => /* sql */ `
    with ended as (
      update job_exe x set status = d.status, error_id = ${errorIdSql('d', 'x.job_type_id')}, reason = d.reason,
        output = d.output, used = d.used, image_digest = d.image_digest, log_cut = d.log_cut,
        task_results = case when d.first_started < x.started then ${LATER_TASK_RESULTS} else d.task_results end,
        seed_started = case when d.seed_started is not null then greatest(d.seed_started, x.started) end,
        seed_ended = case when d.seed_ended is not null then greatest(d.seed_ended, x.started) end,
        ended = greatest(d.at, x.started), last_modified = greatest(d.at, x.started),
        object_version = x.object_version + 1
      from ${table}
      where x.id = d.id and ${guarded('x.status')} = 'RUNNING'   -- = job_exe_pkey
      returning x.job_type_id, x.status, x.error_id, x.queued, x.started, x.ended, d.pre_ms, d.main_ms,
        d.post_ms, d.tasks_ms)
    ${countExecutions('ended')}`,
);

/** Soft: an ended execution does not change. The first end of an execution in the group counts. */
export async function endExecutions(sql: Sql, group: Group): Promise<void> {
  const ends = new Map<number, ExecutionEnd>();
  for (const end of group.items('endExecutions', (change) => change.ends)) {
    if (!ends.has(end.executionId)) ends.set(end.executionId, endInOrder(end));
  }
  await END_EXECUTIONS_IF_RUNNING.execute(sql, [...ends.values()]);
}

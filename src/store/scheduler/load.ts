/** Reads for the scheduler: a snapshot of the cluster, and the first queued jobs of each class. */

import type { JobOwner } from '../../domain/job/job.ts';
import { RETRY_PAUSE_MAX_MS } from '../../domain/job/retry.ts';
import type { Resources, SchedulingClass } from '../../domain/scheduling/scheduling-class.ts';
import type {
  ClassHead,
  NodeView,
  QueueMode,
  RunningExecution,
  SchedulerSettings,
  SchedulerSnapshot,
  TypeLimit,
} from '../../domain/scheduling/snapshot.ts';
import { entityManager } from '../sql/entities.ts';
import type { Sql } from '../sql/sql.ts';
import { SchedulerSettingsEntity } from './table.ts';

/** There is one row. */
const SETTINGS_ID = 1;
const TYPES = /* sql */ `
  select id, is_paused, max_scheduled, unmet_resources from job_type
  where is_paused or max_scheduled is not null or unmet_resources is not null`;
const NODES = /* sql */ `
  select node.id, node.hostname, node.is_active and not node.is_paused and node.errors = '[]' as is_ready,
    node.resources, node.executors, node.takes_work_ahead,
    coalesce((select array_agg(workspace.id order by workspace.id) from node_workspace as reach
      join workspace on workspace.id = reach.workspace_id
      where reach.node_id = node.id and reach.is_reachable and workspace.is_active), '{}') as workspace_ids
  from node where node.is_online`;
// Executions of system jobs hold no resources, so only jobs with a scheduling class count. Relies on
// job_exe_running_idx.
const RUNNING = /* sql */ `
  select exe.id, exe.node_id, exe.job_type_id, exe.resources, exe.started
  from job_exe as exe join job on job.id = exe.job_id
  where exe.status = 'RUNNING' and job.class_key is not null`;
// A loose walk over job_queue_idx: one probe for each class, however many jobs wait.
const CLASSES = /* sql */ `
  with recursive queued(key) as (
    (select class_key from job where status = 'QUEUED' and class_key is not null order by class_key limit 1)
    union all
    select (select class_key from job
      where status = 'QUEUED' and class_key is not null and class_key > queued.key order by class_key limit 1)
    from queued where queued.key is not null)
  select class.key, class.job_type_id, class.spec, class.unmet
  from queued join scheduling_class as class on class.key = queued.key`;

interface ClassDbRow {
  readonly key: string;
  readonly job_type_id: number;
  readonly spec: {
    readonly resources: Resources;
    readonly executor: string;
    readonly workspaceIds: number[];
  };
  readonly unmet?: string | null;
}

export async function loadSettings(
  sql: Sql,
): Promise<SchedulerSettings & { readonly objectVersion: number }> {
  const row = await entityManager(sql).findOneOrFail(SchedulerSettingsEntity, SETTINGS_ID);
  return {
    isPaused: row.isPaused,
    queueMode: row.queueMode,
    messageHandlerCount: row.numMessageHandlers,
    loggingLevel: row.systemLoggingLevel,
    objectVersion: row.objectVersion,
  };
}

/** One snapshot, read in one transaction. */
export async function loadScheduler(sql: Sql): Promise<SchedulerSnapshot> {
  return sql.transaction(async (tx) => {
    await tx.execute('set transaction isolation level repeatable read, read only');
    const settings = await loadSettings(tx);
    const types = await tx.execute<{
      id: number;
      is_paused: boolean;
      max_scheduled: number | null;
      unmet_resources: string | null;
    }>(TYPES);
    const nodes = await tx.execute<{
      id: number;
      hostname: string;
      is_ready: boolean;
      resources: Resources;
      executors: string[];
      takes_work_ahead: boolean;
      workspace_ids: number[];
    }>(NODES);
    const running = await tx.execute<{
      id: number;
      node_id: number;
      job_type_id: number;
      resources: Resources;
      started: number;
    }>(RUNNING);
    const classes = await tx.execute<ClassDbRow>(CLASSES);
    return {
      settings,
      types: types.map(
        (row): TypeLimit => ({
          jobTypeId: row.id,
          isPaused: row.is_paused,
          maxScheduled: row.max_scheduled,
          unmet: row.unmet_resources,
        }),
      ),
      nodes: nodes.map(
        (row): NodeView => ({
          nodeId: row.id,
          hostname: row.hostname,
          isReady: row.is_ready,
          total: row.resources,
          executors: row.executors,
          workspaceIds: row.workspace_ids,
          takesWorkAhead: row.takes_work_ahead,
        }),
      ),
      running: running.map(
        (row): RunningExecution => ({
          executionId: row.id,
          nodeId: row.node_id,
          jobTypeId: row.job_type_id,
          resources: row.resources,
          startedMs: row.started,
        }),
      ),
      classes: classes.map(toClass),
      unmetClasses: new Map(
        classes.flatMap(({ key, unmet }): [string, string][] => (unmet == null ? [] : [[key, unmet]])),
      ),
    };
  });
}

function toClass(row: ClassDbRow): SchedulingClass {
  const { resources, executor, workspaceIds } = row.spec;
  return { key: row.key, jobTypeId: row.job_type_id, resources, executor, workspaceIds };
}

const CLASS = {
  name: 'scheduling_class',
  text: `select key, job_type_id, spec from scheduling_class where key = $1`,
};
const headOf = (direction: 'asc' | 'desc') => ({
  name: `queued_head_${direction}`,
  // Relies on job_queue_idx.
  text: /* sql */ `
    select id, num_exes, priority, queued, owner_kind, owner_key from job
    where status = 'QUEUED' and class_key = $1
      and (not_before is null or not_before <= to_timestamp($3::float8 / 1000)
        or not_before > to_timestamp(($3::float8 + ${RETRY_PAUSE_MAX_MS}) / 1000))
    order by priority, queued ${direction}, id ${direction} limit $2`,
});
const HEADS = { FIFO: headOf('asc'), LIFO: headOf('desc') } as const;

/** The first queued jobs of a class that may be placed at `nowMs`; undefined if there is no such class. */
export async function queuedHeads(
  sql: Sql,
  wanted: {
    readonly classKey: string;
    readonly mode: QueueMode;
    readonly limit: number;
    readonly nowMs: number;
  },
): Promise<ClassHead | undefined> {
  const [row] = await sql.execute<ClassDbRow>(CLASS, [wanted.classKey]);
  if (row === undefined) return undefined;
  const jobs = await sql.execute<{
    id: number;
    num_exes: number;
    priority: number;
    queued: number;
    owner_kind: JobOwner['kind'];
    owner_key: number;
  }>(HEADS[wanted.mode], [wanted.classKey, wanted.limit, wanted.nowMs]);
  return {
    class: toClass(row),
    jobs: jobs.map((job) => ({
      jobId: job.id,
      exeNum: job.num_exes,
      priority: job.priority,
      queuedMs: job.queued,
      owner: { kind: job.owner_kind, key: job.owner_key },
    })),
    isWhole: jobs.length < wanted.limit,
  };
}

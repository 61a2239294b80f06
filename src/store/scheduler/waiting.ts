/** Why queued jobs wait: one snapshot of the rows that the scheduler decides by. */

import type { Resources, SchedulingClass } from '../../domain/scheduling/scheduling-class.ts';
import type { QueueMode, SchedulerSnapshot } from '../../domain/scheduling/snapshot.ts';
import type { NodeFacts } from '../../domain/scheduling/unready.ts';
import {
  AHEAD_MAX,
  type ClusterFacts,
  type QueuedClassHead,
  type WaitingJob,
  type WorkspaceReach,
} from '../../domain/scheduling/waiting.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { loadScheduler } from './load.ts';

export interface WaitingSnapshot {
  readonly scheduler: SchedulerSnapshot;
  readonly cluster: ClusterFacts;
  /** By id: those of the jobs that are queued for a node. */
  readonly waiting: ReadonlyMap<number, WaitingJob>;
}

// limit: classes of queued jobs that one answer examines.
const CLASSES_MAX = 500;
// limit: nodes that are listed for a workspace, and nodes in all.
const UNREACHED_MAX = 20;
const NODES_MAX = 5_000;

/** Whether the job behind `q` is served before the one behind `w`: `isServedBefore` for rows. */
const SERVED_BEFORE: Readonly<Record<QueueMode, string>> = {
  FIFO: '(q.priority, q.queued, q.id) < (w.priority, w.queued, w.id)',
  LIFO: '(q.priority < w.priority or (q.priority = w.priority and (q.queued, q.id) > (w.queued, w.id)))',
};

const DIRECTION: Readonly<Record<QueueMode, string>> = { FIFO: 'asc', LIFO: 'desc' };

// A loose walk over job_queue_idx: one probe a class, however many jobs wait.
const CLASS_KEYS = `keys(key, num) as (
    (select class_key, 1 from job where status = 'QUEUED' and class_key is not null order by class_key limit 1)
    union all
    select (select class_key from job
      where status = 'QUEUED' and class_key is not null and class_key > keys.key order by class_key limit 1),
      keys.num + 1
    from keys where keys.key is not null and keys.num < ${CLASSES_MAX})`;

const QUEUED = `q.status = 'QUEUED' and (q.not_before is null or q.not_before <= now())`;

// Relies on job_queue_idx.
const waitingOf = (mode: QueueMode) => /* sql */ `
  with recursive ${CLASS_KEYS}
  select w.id as "jobId", w.num_exes as "exeNum", w.priority, w.queued as "queuedMs", w.not_before as "notBeforeMs",
    w.owner_kind as "ownerKind", w.owner_key as "ownerKey", class.key, class.job_type_id as "jobTypeId", class.spec,
    jt.name as "typeName", jt.version as "typeVersion",
    case when jt.is_paused then jt.paused end as "pausedMs",
    case when jt.unmet_resources is not null then jt.unmet_since end as "unmetSinceMs",
    (select count(*) from (select from job q where ${QUEUED} and q.class_key = w.class_key
      and ${SERVED_BEFORE[mode]} limit ${AHEAD_MAX}) as ahead) as "sameClass",
    (select count(*) from (select from keys join job q on q.class_key = keys.key
      where ${QUEUED} and keys.key <> w.class_key and ${SERVED_BEFORE[mode]} limit ${AHEAD_MAX}) as ahead) as others
  from job w join scheduling_class class on class.key = w.class_key join job_type jt on jt.id = w.job_type_id
  where w.id = any($1::bigint[]) and w.status = 'QUEUED'`;

interface HeadRow {
  readonly jobId: number;
  readonly exeNum: number;
  readonly priority: number;
  readonly queuedMs: number;
  readonly ownerKind: WaitingJob['job']['owner']['kind'];
  readonly ownerKey: number;
  readonly key: string;
  readonly jobTypeId: number;
  readonly spec: {
    readonly resources: Resources;
    readonly executor: string;
    readonly workspaceIds: readonly number[];
  };
}

interface WaitingRow extends HeadRow {
  readonly notBeforeMs: number | null;
  readonly typeName: string;
  readonly typeVersion: string;
  readonly pausedMs: number | null;
  readonly unmetSinceMs: number | null;
  readonly sameClass: number;
  readonly others: number;
}

const headsOf = (mode: QueueMode) => /* sql */ `
  with recursive ${CLASS_KEYS}
  select q.id as "jobId", q.num_exes as "exeNum", q.priority, q.queued as "queuedMs", q.owner_kind as "ownerKind",
    q.owner_key as "ownerKey", class.key, class.job_type_id as "jobTypeId", class.spec
  from keys join scheduling_class class on class.key = keys.key cross join lateral (
    select q.* from job q where ${QUEUED} and q.class_key = keys.key
    order by q.priority, q.queued ${DIRECTION[mode]}, q.id ${DIRECTION[mode]} limit 1) as q`;

const NODES = /* sql */ `
  select node.id as "nodeId", node.hostname, node.is_active as "isActive", node.is_online as "isOnline",
    node.is_paused as "isPaused", node.pause_reason as "pauseReason", node.errors, node.last_seen as "lastSeenMs",
    node.deprecated as "deprecatedMs", node.resources as total, node.executors,
    coalesce((select array_agg(workspace.id) from node_workspace as reach
      join workspace on workspace.id = reach.workspace_id
      where reach.node_id = node.id and reach.is_reachable and workspace.is_active), '{}') as "workspaceIds"
  from node order by node.id limit ${NODES_MAX}`;

const WORKSPACES = /* sql */ `
  select w.id, w.name, w.is_active as "isActive", w.deprecated as "deactivatedMs",
    coalesce((select json_agg(far) from (
      select reach.node_id as "nodeId", node.hostname, reach.reason,
        extract(epoch from reach.checked)::float8 * 1000 as "checkedMs"
      from node_workspace reach join node on node.id = reach.node_id
      where reach.workspace_id = w.id and not reach.is_reachable and node.is_online and node.is_active
      order by reach.node_id limit ${UNREACHED_MAX}) as far), '[]') as unreached
  from workspace w where w.id = any($1::bigint[])`;

/** A constant number of statements, however many jobs. */
export async function waitingSnapshot(sql: Sql, jobIds: readonly number[]): Promise<WaitingSnapshot> {
  return sql.transaction(async (tx) => {
    const scheduler = await loadScheduler(tx);
    const { queueMode } = scheduler.settings;
    const rows = await tx.execute<WaitingRow>(waitingOf(queueMode), [idArray(jobIds)]);
    const heads = await tx.execute<HeadRow>(headsOf(queueMode));
    const nodes = await tx.execute<Omit<NodeFacts, 'isReady'>>(NODES);
    const workspaceIds = [...new Set(rows.flatMap(({ spec }) => spec.workspaceIds))];
    const workspaces = await workspaceReach(tx, workspaceIds);
    return {
      scheduler,
      waiting: new Map(rows.map((row) => [row.jobId, toWaiting(row)])),
      cluster: { nodes: nodes.map(toNode), workspaces, heads: heads.map(toHead) },
    };
  });
}

/** The connected nodes that do not reach the workspaces, by id. */
export async function workspaceReach(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, WorkspaceReach>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.execute<WorkspaceReach>(WORKSPACES, [idArray(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

function toNode(row: Omit<NodeFacts, 'isReady'>): NodeFacts {
  const isReady = row.isOnline && row.isActive && !row.isPaused && row.errors.length === 0;
  return { ...row, isReady };
}

function toHead(row: HeadRow): QueuedClassHead {
  const { jobId, exeNum, priority, queuedMs, ownerKind, ownerKey } = row;
  return {
    class: classOf(row),
    job: { jobId, exeNum, priority, queuedMs, owner: { kind: ownerKind, key: ownerKey } },
  };
}

function classOf({ key, jobTypeId, spec }: HeadRow): SchedulingClass {
  return { key, jobTypeId, ...spec };
}

function toWaiting(row: WaitingRow): WaitingJob {
  return {
    ...toHead(row),
    notBeforeMs: row.notBeforeMs,
    jobType: {
      id: row.jobTypeId,
      name: row.typeName,
      version: row.typeVersion,
      pausedMs: row.pausedMs,
      unmetSinceMs: row.unmetSinceMs,
    },
    ahead: { sameClass: row.sameClass, others: row.others },
  };
}

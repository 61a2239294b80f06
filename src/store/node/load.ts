/** Loads node actors; also reads of nodes and the workspaces that they reach. */
import type { AssignedExecution, NodeRow, WorkspaceInfo } from '../../domain/node/node.ts';
import { JobEntity, JobExeEntity } from '../job/table.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type RowOf } from '../sql/table-rows.ts';
import { WorkspaceEntity } from '../workspace/table.ts';
import { NodeEntity, NodeWorkspaceEntity } from './table.ts';

// The statements rely on node_pkey, job_exe_running_idx, node_workspace_pkey.
const NODE = columnsOf(NodeEntity, 'node', [
  ...(['id', 'hostname', 'agentId', 'bootId', 'pauseReason', 'isPaused', 'isActive', 'isOnline'] as const),
  ...(['resources', 'executors', 'takesWorkAhead', 'errors', 'warnings', 'host'] as const),
]);
const NODES = { name: 'load_nodes', text: `select ${NODE.sql} from node where node.id = any($1::bigint[])` };

const EXECUTION = columnsOf(JobExeEntity, 'exe', ['nodeId', 'jobId', 'exeNum']);
const OWNER = columnsOf(JobEntity, 'job', ['ownerKind', 'ownerKey']);
const RUNNING = {
  name: 'load_node_executions',
  text: /* sql */ `
    select ${EXECUTION.sql}, ${OWNER.sql}, exe.id as "executionId",
      case when job.owner_kind not in ('strike', 'scan') then 'task'
        when exists (select from strike where strike.job_id = job.id) then 'monitor'
        when exists (select from scan where job.id in (scan.job_id, scan.dry_run_job_id)) then 'listing'
        else 'ingest' end as work
    from job_exe as exe
    join job on job.id = exe.job_id
    where exe.status = 'RUNNING' and exe.node_id = any($1::bigint[])`,
};

type RunningDbRow = RowOf<typeof EXECUTION> &
  RowOf<typeof OWNER> &
  Pick<AssignedExecution, 'executionId' | 'work'>;

const REACHED = columnsOf(NodeWorkspaceEntity, 'reach', ['nodeId', 'workspaceId', 'isReachable', 'reason']);
const REACH = {
  name: 'load_node_reach',
  text: /* sql */ `
    select ${REACHED.sql}, not workspace.is_active as "isDeactivated"
    from node_workspace as reach join workspace on workspace.id = reach.workspace_id
    where reach.node_id = any($1::bigint[])`,
};

type ReachDbRow = RowOf<typeof REACHED> & { readonly isDeactivated: boolean };

/** Rows of nodes with their executions and the workspaces that they reach. Three statements, however many nodes. */
export async function loadNodes(sql: Sql, nodeIds: readonly number[]): Promise<ReadonlyMap<number, NodeRow>> {
  const ids = [idArray(nodeIds)];
  const [nodes, running, reach] = await Promise.all([
    sql.execute<RowOf<typeof NODE>>(NODES, ids),
    sql.execute<RunningDbRow>(RUNNING, ids),
    sql.execute<ReachDbRow>(REACH, ids),
  ]);
  const executionsOf = Map.groupBy(running, (row) => row.nodeId);
  const reachOf = Map.groupBy(reach, (row) => row.nodeId);
  const loaded = nodes.map((row): readonly [number, NodeRow] => [
    row.id,
    {
      ...row,
      executions: (executionsOf.get(row.id) ?? []).map(toAssigned),
      reach: (reachOf.get(row.id) ?? []).map(({ nodeId: _, ...one }) => one),
    },
  ]);
  return new Map(loaded);
}

function toAssigned({ ownerKind: kind, ownerKey: key, nodeId: _, ...rest }: RunningDbRow): AssignedExecution {
  return { ...rest, owner: { kind, key } };
}

/** Running executions by node; nodes without any are absent. */
export async function assignedTo(
  sql: Sql,
  nodeIds: readonly number[],
): Promise<ReadonlyMap<number, readonly AssignedExecution[]>> {
  const rows = await sql.execute<RunningDbRow>(RUNNING, [idArray(nodeIds)]);
  const byNode = Map.groupBy(rows, (row) => row.nodeId);
  return new Map([...byNode].map(([nodeId, list]) => [nodeId, list.map(toAssigned)]));
}

const UNKNOWN = {
  name: 'unknown_executions',
  text: /* sql */ `
    select d.id from unnest($1::bigint[]) as d(id)
    where not exists (select from job_exe e where e.id = d.id)   -- = job_exe_pkey
    order by d.id`,
};

/** Those of the executions that have no row, ascending. */
export async function unknownExecutions(
  sql: Sql,
  executionIds: readonly number[],
): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(UNKNOWN, [idArray(new Set(executionIds))]);
  return rows.map((row) => row.id);
}

// limit: nodes, and so agents, of one coordinator.
const DUE_MAX = 100_000;
const DUE = {
  name: 'due_nodes',
  text: /* sql */ `
    select id from node
    where shard = any($1::smallint[])
      and (is_online or exists (select from job_exe where node_id = node.id and status = 'RUNNING'))
    order by id limit ${DUE_MAX}`,
};

/** Nodes of these shards whose rows are online, or that have running executions. */
export async function dueNodes(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(DUE, [idArray(shards)]);
  return rows.map((row) => row.id);
}

/** Whether the row `node` may get new work. */
export const MAY_TAKE_WORK = `node.is_online and node.is_active and not node.is_paused and node.errors = '[]'
      and not (select is_paused from scheduler_settings)`;

const REACHING = {
  name: 'nodes_reaching',
  text: /* sql */ `
    select node.id from node
    where ${MAY_TAKE_WORK}
      and (select count(*) from node_workspace as reach
        where reach.node_id = node.id and reach.is_reachable and reach.workspace_id = any($1::bigint[]))
        = cardinality($1::bigint[])
    order by node.id limit 1000`,
};

/** Nodes that may get new work and reach all these workspaces, ascending. */
export async function nodesReaching(sql: Sql, workspaceIds: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(REACHING, [idArray(new Set(workspaceIds))]);
  return rows.map((row) => row.id);
}

const WORKSPACE = columnsOf(WorkspaceEntity, 'w', [
  ...(['id', 'uuid', 'name', 'configuration', 'isActive', 'claimedNodeId'] as const),
]);
const WORKSPACES = {
  name: 'active_workspaces',
  text: /* sql */ `select ${WORKSPACE.sql} from workspace w where w.is_active order by w.id`,
};

/** All active workspaces with their encrypted configurations, by id. */
export function activeWorkspaces(sql: Sql): Promise<readonly WorkspaceInfo[]> {
  return sql.execute<RowOf<typeof WORKSPACE>>(WORKSPACES);
}

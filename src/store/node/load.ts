/** Loads node actors; also reads of nodes and the workspaces that they reach. */
import type { HostReport } from '../../domain/node/agent-messages.ts';
import type { AssignedExecution, NodeCondition, NodeRow, WorkspaceInfo } from '../../domain/node/node.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

// Relies on node_pkey, job_exe_running_idx, node_workspace_pkey.
const NODES = {
  name: 'load_nodes',
  text: /* sql */ `
    select id, hostname, agent_id, pause_reason, is_paused, is_active, is_online, resources, executors, errors,
      warnings, host
    from node where id = any($1::bigint[])`,
};
const RUNNING = {
  name: 'load_node_executions',
  text: /* sql */ `
    select exe.node_id, exe.id as execution_id, exe.job_id, exe.exe_num, job.owner_kind, job.owner_key,
      case when job.owner_kind not in ('strike', 'scan') then 'task'
        when exists (select from strike where strike.job_id = job.id) then 'monitor'
        when exists (select from scan where job.id in (scan.job_id, scan.dry_run_job_id)) then 'listing'
        else 'ingest' end as work
    from job_exe as exe
    join job on job.id = exe.job_id
    where exe.status = 'RUNNING' and exe.node_id = any($1::bigint[])`,
};
const REACH = {
  name: 'load_node_reach',
  text: /* sql */ `
    select reach.node_id, reach.workspace_id, reach.is_reachable, reach.reason,
      not workspace.is_active as is_deactivated
    from node_workspace as reach join workspace on workspace.id = reach.workspace_id
    where reach.node_id = any($1::bigint[])`,
};

interface NodeDbRow {
  readonly id: number;
  readonly hostname: string;
  readonly agent_id: string | null;
  readonly pause_reason: string | null;
  readonly is_paused: boolean;
  readonly is_active: boolean;
  readonly is_online: boolean;
  readonly resources: Record<string, number>;
  readonly executors: string[];
  readonly errors: NodeCondition[];
  readonly warnings: NodeCondition[];
  readonly host: HostReport | null;
}
interface RunningDbRow {
  readonly node_id: number;
  readonly execution_id: number;
  readonly job_id: number;
  readonly exe_num: number;
  readonly owner_kind: AssignedExecution['owner']['kind'];
  readonly owner_key: number;
  readonly work: AssignedExecution['work'];
}
interface ReachDbRow {
  readonly node_id: number;
  readonly workspace_id: number;
  readonly is_reachable: boolean;
  readonly reason: string | null;
  readonly is_deactivated: boolean;
}

/** Rows of nodes with their executions and the workspaces that they reach. Three statements, however many nodes. */
export async function loadNodes(sql: Sql, nodeIds: readonly number[]): Promise<ReadonlyMap<number, NodeRow>> {
  const ids = [idArray(nodeIds)];
  const [nodes, running, reach] = await Promise.all([
    sql.execute<NodeDbRow>(NODES, ids),
    sql.execute<RunningDbRow>(RUNNING, ids),
    sql.execute<ReachDbRow>(REACH, ids),
  ]);
  const executionsOf = Map.groupBy(running, (row) => row.node_id);
  const reachOf = Map.groupBy(reach, (row) => row.node_id);
  const loaded = nodes.map((row): readonly [number, NodeRow] => [
    row.id,
    {
      id: row.id,
      hostname: row.hostname,
      agentId: row.agent_id,
      pauseReason: row.pause_reason,
      isPaused: row.is_paused,
      isActive: row.is_active,
      isOnline: row.is_online,
      resources: row.resources,
      executors: row.executors,
      errors: row.errors,
      warnings: row.warnings,
      host: row.host,
      executions: (executionsOf.get(row.id) ?? []).map(toAssigned),
      reach: (reachOf.get(row.id) ?? []).map((one) => ({
        workspaceId: one.workspace_id,
        isReachable: one.is_reachable,
        reason: one.reason,
        isDeactivated: one.is_deactivated,
      })),
    },
  ]);
  return new Map(loaded);
}

function toAssigned(row: RunningDbRow): AssignedExecution {
  return {
    executionId: row.execution_id,
    jobId: row.job_id,
    exeNum: row.exe_num,
    owner: { kind: row.owner_kind, key: row.owner_key },
    work: row.work,
  };
}

/** Running executions on one node. */
export async function assignedTo(sql: Sql, nodeId: number): Promise<readonly AssignedExecution[]> {
  const rows = await sql.execute<RunningDbRow>(RUNNING, [idArray([nodeId])]);
  return rows.map(toAssigned);
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

const WORKSPACES = {
  name: 'active_workspaces',
  text: /* sql */ `
    select id, uuid, name, configuration, is_active, claimed_node_id from workspace where is_active order by id`,
};

interface WorkspaceDbRow {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly configuration: Record<string, unknown>;
  readonly is_active: boolean;
  readonly claimed_node_id: number | null;
}

export async function activeWorkspaces(sql: Sql): Promise<readonly WorkspaceInfo[]> {
  const rows = await sql.execute<WorkspaceDbRow>(WORKSPACES);
  return rows.map((row) => ({
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    configuration: row.configuration,
    isActive: row.is_active,
    claimedNodeId: row.claimed_node_id,
  }));
}

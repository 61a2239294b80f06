/** Whether nodes reach workspaces, and why not, in words. Nodes and workspaces are few. */
import type { Sql } from '../sql/sql.ts';

// limit: nodes that a sentence names.
const NODES_MAX = 5;

/**
 * SQL for a sentence about workspaces that nodes do not reach: `what`, then each node with its reason. `workspaceIds`
 * is SQL for an array of ids. If no node has checked the workspaces yet, as right after their creation, the sentence
 * says so, and calls them `its`.
 */
export function unreachedText(workspaceIds: string, what: string, its: string): string {
  return `(select coalesce(
      left('${what}: ' || string_agg(said.text, '; ' order by said.node_id, said.workspace_id), 2000),
      'no agent has looked for ${its} yet')
    from (select reach.node_id, reach.workspace_id, node.hostname || ' does not reach ' || workspace.name
        || coalesce(': ' || reach.reason, '') as text
      from node_workspace reach join node on node.id = reach.node_id
        join workspace on workspace.id = reach.workspace_id
      where reach.workspace_id = any(${workspaceIds}) and not reach.is_reachable and node.is_online
        and node.is_active
      order by 1, 2 limit ${NODES_MAX}) as said)`;
}

/** SQL for a text that names those of the workspaces that are not active; null if there are none. */
export function inactiveText(workspaceIds: string): string {
  return `(select string_agg('the workspace ' || idle.name || ' is not active', '; ' order by idle.id)
    from (select id, name from workspace where id = any(${workspaceIds}) and not is_active
      order by id limit ${NODES_MAX}) as idle)`;
}

/**
 * SQL for a sentence about a workspace whose strike no node has taken yet: that the scheduler is paused, or what keeps
 * the nodes that reach it from new work, unless one of them may take it. `workspaceId` is SQL for its id.
 */
export function untakenText(workspaceId: string): string {
  return `(select 'no node has taken it yet' || case
      when exists (select from scheduler_settings where is_paused) then ': the scheduler is paused'
      when count(*) = count(said.text)
        then coalesce(left(': ' || string_agg(said.text, '; ' order by said.node_id), 2000), '') else '' end
    from (select reach.node_id, case
        when node.is_paused then node.hostname || ' is paused' || coalesce(' (' || node.pause_reason || ')', '')
        when node.errors <> '[]' then node.hostname || ' is degraded (' || (node.errors->0->>'title') || ': '
          || (node.errors->0->>'description') || ')' end as text
      from node_workspace reach join node on node.id = reach.node_id
      where reach.workspace_id = ${workspaceId} and reach.is_reachable and node.is_online and node.is_active
      order by 1 limit ${NODES_MAX}) as said)`;
}

/** SQL for whether an online node has looked for the workspace and does not reach it. `workspaceId`: SQL for its id. */
export function isReportedUnreached(workspaceId: string): string {
  return `exists (select from node_workspace reach join node on node.id = reach.node_id
    where reach.workspace_id = ${workspaceId} and not reach.is_reachable and node.is_online and node.is_active)`;
}

/** SQL for whether an online node reaches the workspace. `workspaceId` is SQL for its id. */
export function isReached(workspaceId: string): string {
  return `exists (select from node_workspace reach join node on node.id = reach.node_id
    where reach.workspace_id = ${workspaceId} and reach.is_reachable and node.is_online and node.is_active)`;
}

/**
 * Whether a workspace was created within the last ten seconds and is active, and there is an online node that may come
 * to reach it.
 */
export async function isAwaitingFirstLook(sql: Sql, workspaceId: number): Promise<boolean> {
  const rows = await sql.execute<{ isAwaiting: boolean }>(
    `select is_active and created > clock_timestamp() - interval '10 s'
        and exists (select from node where is_online and is_active) as "isAwaiting"
      from workspace where id = $1`, // = workspace_pkey
    [workspaceId],
  );
  return rows[0]?.isAwaiting === true;
}

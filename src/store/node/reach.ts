/** Why nodes do not reach workspaces, in words. Nodes and workspaces are few. */

// limit: nodes that a sentence names.
const NODES_MAX = 5;

/**
 * Expression for a sentence that begins with `what`, about the workspaces in an expression for an array of ids, which
 * it calls `its`. For workspaces that no node has checked yet, which is so only right after their creation, it says so.
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

/** Text for those of the workspaces that are not active, which no node should reach; null if there are none. */
export function inactiveText(workspaceIds: string): string {
  return `(select string_agg('the workspace ' || idle.name || ' is not active', '; ' order by idle.id)
    from (select id, name from workspace where id = any(${workspaceIds}) and not is_active
      order by id limit ${NODES_MAX}) as idle)`;
}

/** Expression for whether an online node reaches the workspace in an expression for an id. */
export function isReached(workspaceId: string): string {
  return `exists (select from node_workspace reach join node on node.id = reach.node_id
    where reach.workspace_id = ${workspaceId} and reach.is_reachable and node.is_online and node.is_active)`;
}

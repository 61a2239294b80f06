/** Why nodes do not reach workspaces, in words. Nodes and workspaces are few. */

// limit: nodes that a sentence names.
const NODES_MAX = 5;

/**
 * Expression for a sentence that begins with `what`, about the workspaces of an expression for an array of ids, which
 * it calls `its`; while nobody has looked for them, which happens soon after they are made, for that.
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

/** Text for those of the workspaces that are not active, which no node is to reach; null when there are none. */
export function inactiveText(workspaceIds: string): string {
  return `(select string_agg('the workspace ' || idle.name || ' is not active', '; ' order by idle.id)
    from (select id, name from workspace where id = any(${workspaceIds}) and not is_active
      order by id limit ${NODES_MAX}) as idle)`;
}

/** Expression for whether a node that is there reaches the workspace of an expression for an id. */
export function isReached(workspaceId: string): string {
  return `exists (select from node_workspace reach join node on node.id = reach.node_id
    where reach.workspace_id = ${workspaceId} and reach.is_reachable and node.is_online and node.is_active)`;
}

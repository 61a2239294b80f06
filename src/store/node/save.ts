/** Nodes of a group: patches of their rows, the workspaces that they reach, and claims of markers. */
import { type ChangeOf, type Group, mergedPatches } from '../sql/group.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { NodeEntity, NodeWorkspaceEntity } from './table.ts';

const PATCHES = rowsOf(NodeEntity).from<ChangeOf<'saveNode'>>(
  {
    id: (row) => row.nodeId,
    agentId: ({ patch }) => patch.agentId,
    bootId: ({ patch }) => patch.bootId,
    version: ({ patch }) => patch.version,
    pauseReason: ({ patch }) => patch.pauseReason,
    isPaused: ({ patch }) => patch.isPaused,
    isActive: ({ patch }) => patch.isActive,
    isOnline: ({ patch }) => patch.isOnline,
    labels: ({ patch }) => patch.labels,
    resources: ({ patch }) => patch.resources,
    executors: ({ patch }) => patch.executors,
    takesWorkAhead: ({ patch }) => patch.takesWorkAhead,
    errors: ({ patch }) => patch.errors,
    warnings: ({ patch }) => patch.warnings,
    host: ({ patch }) => patch.host,
    lastSeen: ({ patch }) => patch.lastSeenMs,
  },
  [
    ['has_reason', 'bool', ({ patch }) => patch.pauseReason !== undefined],
    ['at', 'ms', (row) => row.atMs],
  ],
);

const PATCHED = [
  'agent_id',
  'boot_id',
  'version',
  'is_paused',
  'is_online',
  'labels',
  'resources',
  'executors',
  'takes_work_ahead',
  'errors',
  'warnings',
  'host',
  'last_seen',
];

/** A deactivated node is deprecated from then on. */
const PATCH_NODES = {
  name: 'patch_nodes',
  text: /* sql */ `
    update node n set ${PATCHED.map((name) => `${name} = coalesce(d.${name}, n.${name})`).join(', ')},
      is_active = coalesce(d.is_active, n.is_active),
      deprecated = case when d.is_active then null when not d.is_active and n.is_active then d.at
        else n.deprecated end,
      pause_reason = case when d.has_reason then d.pause_reason else n.pause_reason end,
      last_modified = d.at
    from (select l.id as locked_id, d.* from node l join ${PATCHES.table('d')} on l.id = d.id
      order by l.id for no key update of l) as d   -- = node_pkey
    where n.id = d.locked_id`,
};

export async function saveNodes(sql: Sql, group: Group): Promise<void> {
  const patches = mergedPatches(group.changes('saveNode'), (change) => change.nodeId);
  if (patches.length > 0) await sql.execute(PATCH_NODES, PATCHES.params(patches));
}

interface ReachRow {
  readonly nodeId: number;
  readonly workspaceId: number;
  readonly isReachable: boolean;
  readonly reason: string | null;
  readonly atMs: number;
}

const REACH = rowsOf(NodeWorkspaceEntity).from<ReachRow>({
  nodeId: (row) => row.nodeId,
  workspaceId: (row) => row.workspaceId,
  isReachable: (row) => row.isReachable,
  reason: (row) => row.reason,
  checked: (row) => row.atMs,
});

const SAVE_REACH = {
  name: 'save_reach',
  text: /* sql */ `
    insert into node_workspace (${REACH.names}) select * from ${REACH.table('d')}
    order by d.node_id, d.workspace_id
    on conflict (node_id, workspace_id) do update
      set is_reachable = excluded.is_reachable, reason = excluded.reason, checked = excluded.checked`,
};

/** Only the last of several reports about a node and a workspace is written. */
export async function saveReach(sql: Sql, group: Group): Promise<void> {
  const rows = new Map<string, ReachRow>();
  for (const change of group.changes('saveReach')) {
    const { nodeId, atMs } = change;
    for (const one of change.reach) rows.set(`${nodeId}/${one.workspaceId}`, { nodeId, atMs, ...one });
  }
  if (rows.size > 0) await sql.execute(SAVE_REACH, REACH.params([...rows.values()]));
}

const CLAIM_WORKSPACES_IF_FREE = {
  name: 'claim_workspaces_if_free',
  text: /* sql */ `
    update workspace w set claimed_node_id = $1
    from (select id from workspace where id = any($2::bigint[]) order by id for no key update) as l
    where w.id = l.id and w.claimed_node_id is null   -- = workspace_pkey
    returning w.id`,
};

const RELEASE_CLAIMS = {
  name: 'release_claims',
  text: /* sql */ `
    update workspace w set claimed_node_id = null
    from (select id from workspace where id = any($2::bigint[]) order by id for no key update) as l
    where w.id = l.id and w.claimed_node_id = $1   -- = workspace_pkey`,
};

/** Claims are rare and few: one statement each, in the order of the turns. */
export async function writeClaims(sql: Sql, group: Group): Promise<void> {
  for (const placed of group.all) {
    const { change } = placed;
    if (change.type === 'releaseClaims') {
      await sql.execute(RELEASE_CLAIMS, [change.nodeId, idArray(change.workspaceIds)]);
    } else if (change.type === 'claimWorkspaces') {
      const params = [change.nodeId, idArray(change.workspaceIds)];
      const rows = await sql.execute<{ id: number }>(CLAIM_WORKSPACES_IF_FREE, params);
      group.answer(placed, { claimed: rows.map((row) => row.id) });
    }
  }
}

/** Nodes, what they reach and claim, strikes, scans and settings of a group. */
import type { Group } from '../../../../src/store/sql/group.ts';
import type { Tables } from '../tables.ts';

export function writeNodes(tables: Tables, group: Group): void {
  for (const placed of group.all) {
    const { change } = placed;
    switch (change.type) {
      case 'editStrike':
        if (tables.strikes.get(change.strikeId) !== undefined)
          tables.strikes.patch(change.strikeId, change.patch);
        break;
      case 'editScan':
        if (tables.scans.get(change.scanId) !== undefined) tables.scans.patch(change.scanId, change.patch);
        break;
      case 'markListing':
        if (tables.strikes.get(change.strikeId) !== undefined)
          tables.strikes.patch(change.strikeId, { listing: change.mark });
        break;
      case 'saveNode': {
        const { version: _v, labels: _l, lastSeenMs: _s, ...fields } = change.patch;
        if (tables.nodes.get(change.nodeId) !== undefined) tables.nodes.patch(change.nodeId, fields);
        break;
      }
      case 'saveReach':
        for (const one of change.reach) {
          const { nodeId } = change;
          tables.reach.put({ id: `${nodeId}/${one.workspaceId}`, nodeId, ...one });
        }
        break;
      case 'claimWorkspaces': {
        const isFree = (id: number) => tables.workspaces.get(id)?.claimedNodeId === null;
        const claimed = change.workspaceIds.filter(isFree);
        for (const id of claimed) tables.workspaces.patch(id, { claimedNodeId: change.nodeId });
        group.answer(placed, { claimed });
        break;
      }
      case 'releaseClaims':
        for (const id of change.workspaceIds) {
          if (tables.workspaces.get(id)?.claimedNodeId === change.nodeId)
            tables.workspaces.patch(id, { claimedNodeId: null });
        }
        break;
      case 'saveScheduler':
        tables.settings.patch(1, change.patch);
        break;
    }
  }
}

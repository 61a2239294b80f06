/**
 * Which node reaches which workspace, as agents report it. Columns only: indexes, checks and foreign keys
 * are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const NodeWorkspaceEntity = defineEntity({
  name: 'NodeWorkspace',
  tableName: 'node_workspace',
  properties: {
    nodeId: p.bigint('number').primary(),
    workspaceId: p.bigint('number').primary(),
    isReachable: p.boolean(),
    reason: p.text().nullable(),
    checked: p.datetime().columnType('timestamptz'),
  },
});

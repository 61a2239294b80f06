import { defineEntity, p } from '@mikro-orm/core';
import { bigint, type Document, identity, instant } from '../columns.ts';

/** Hosts that run tasks. Written by the node's actor. */
export const NodeEntity = defineEntity({
  name: 'Node',
  tableName: 'node',
  properties: {
    id: identity(),
    shard: p.smallint(),
    hostname: p.string().length(250),
    agentId: p.text().nullable(),
    version: p.text().nullable(),
    pauseReason: p.string().length(250).nullable(),
    isPaused: p.boolean().default(false),
    isActive: p.boolean().default(true),
    isOnline: p.boolean().default(false),
    labels: p.json<Document>().defaultRaw(`'{}'`),
    resources: p.json<Document>().defaultRaw(`'{}'`),
    executors: p.json<Document>().defaultRaw(`'[]'`),
    errors: p.json<Document>().defaultRaw(`'[]'`),
    warnings: p.json<Document>().defaultRaw(`'[]'`),
    host: p.json<Document>().nullable(),
    lastSeen: instant().nullable(),
    deprecated: instant().nullable(),
    created: instant(),
    lastModified: instant(),
  },
});

/** Which node reaches which workspace, as agents report it. */
export const NodeWorkspaceEntity = defineEntity({
  name: 'NodeWorkspace',
  tableName: 'node_workspace',
  properties: {
    nodeId: bigint().primary(),
    workspaceId: bigint().primary(),
    isReachable: p.boolean(),
    reason: p.text().nullable(),
    checked: instant(),
  },
});

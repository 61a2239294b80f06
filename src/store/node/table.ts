import { defineEntity, p } from '@mikro-orm/core';
import type { HostReport } from '../../domain/node/agent-messages.ts';
import type { NodeCondition } from '../../domain/node/node.ts';
import type { Resources } from '../../domain/scheduling/scheduling-class.ts';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Hosts that run tasks. Written by the node's actor. */
export const NodeEntity = defineEntity({
  name: 'Node',
  tableName: 'node',
  properties: {
    id: identity(),
    shard: p.smallint(),
    hostname: p.string().length(250),
    agentId: p.text().nullable(),
    bootId: p.text().nullable(),
    version: p.text().nullable(),
    pauseReason: p.string().length(250).nullable(),
    isPaused: p.boolean().default(false),
    isActive: p.boolean().default(true),
    isOnline: p.boolean().default(false),
    labels: p.json<Readonly<Record<string, string>>>().defaultRaw(`'{}'`),
    resources: p.json<Resources>().defaultRaw(`'{}'`),
    executors: p.json<readonly string[]>().defaultRaw(`'[]'`),
    takesWorkAhead: p.boolean().default(false),
    errors: p.json<readonly NodeCondition[]>().defaultRaw(`'[]'`),
    warnings: p.json<readonly NodeCondition[]>().defaultRaw(`'[]'`),
    host: p.json<HostReport>().nullable(),
    lastSeen: instant().nullable(),
    deprecated: instant().nullable(),
    created: instant(),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
  },
});

/** The workspaces that each node reaches, as agents report it. */
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

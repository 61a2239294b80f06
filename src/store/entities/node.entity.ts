/**
 * Hosts that run tasks. Written by the node's actor. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const NodeEntity = defineEntity({
  name: 'Node',
  tableName: 'node',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    hostname: p.string().length(250),
    agentId: p.text().nullable(),
    version: p.text().nullable(),
    pauseReason: p.string().length(250).nullable(),
    isPaused: p.boolean().default(false),
    isActive: p.boolean().default(true),
    isOnline: p.boolean().default(false),
    labels: p.json<JsonColumn>().defaultRaw(`'{}'`),
    resources: p.json<JsonColumn>().defaultRaw(`'{}'`),
    executors: p.json<JsonColumn>().defaultRaw(`'[]'`),
    errors: p.json<JsonColumn>().defaultRaw(`'[]'`),
    warnings: p.json<JsonColumn>().defaultRaw(`'[]'`),
    host: p.json<JsonColumn>().nullable(),
    lastSeen: p.datetime().columnType('timestamptz').nullable(),
    deprecated: p.datetime().columnType('timestamptz').nullable(),
    created: p.datetime().columnType('timestamptz'),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

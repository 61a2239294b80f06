/** Scans. Written by the scan's actor. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const ScanEntity = defineEntity({
  name: 'Scan',
  tableName: 'scan',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.text().default(''),
    configuration: p.json<JsonColumn>(),
    workspaceId: p.bigint('number'),
    jobId: p.bigint('number'),
    dryRunJobId: p.bigint('number'),
    run: p.text().nullable(),
    cursor: p.string().length(1000).default(''),
    counts: p.json<JsonColumn>().nullable(),
    cancelThrough: p.bigint('number').nullable(),
    reason: p.text().nullable(),
    created: p.datetime().columnType('timestamptz'),
    lastModified: p.datetime().columnType('timestamptz'),
    waiting: p.json<JsonColumn>().defaultRaw(`'[]'`),
  },
});

/** Purges of source files. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const PurgeEntity = defineEntity({
  name: 'Purge',
  tableName: 'purge',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    fileId: p.bigint('number'),
    fileName: p.string().length(255),
    workspaceId: p.bigint('number'),
    filePath: p.string().length(1000),
    fileSize: p.bigint('number'),
    sha256: p.text().nullable(),
    deletesSourceBytes: p.boolean().default(false),
    phase: p.text().default('find'),
    round: p.integer().default(1),
    isClosed: p.boolean().default(false),
    isDirty: p.boolean().default(false),
    step: p.integer().default(0),
    reason: p.text().nullable(),
    removed: p.json<JsonColumn>().defaultRaw(`'{}'`),
    workspaces: p.json<JsonColumn>().defaultRaw(`'{}'`),
    problems: p.json<JsonColumn>().defaultRaw(`'[]'`),
    created: p.datetime().columnType('timestamptz'),
    completed: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant, type JsonObject } from '../sql/columns.ts';

/** Purges of source files. */
export const PurgeEntity = defineEntity({
  name: 'Purge',
  tableName: 'purge',
  properties: {
    id: identity(),
    shard: p.smallint(),
    fileId: bigint(),
    fileName: p.string().length(255),
    workspaceId: bigint(),
    filePath: p.string().length(1000),
    fileSize: bigint(),
    sha256: p.text().nullable(),
    deletesSourceBytes: p.boolean().default(false),
    phase: p.text().default('find'),
    round: p.integer().default(1),
    isClosed: p.boolean().default(false),
    isDirty: p.boolean().default(false),
    step: p.integer().default(0),
    reason: p.text().nullable(),
    removed: p.json<JsonObject>().defaultRaw(`'{}'`),
    workspaces: p.json<JsonObject>().defaultRaw(`'{}'`),
    problems: p.json<JsonObject>().defaultRaw(`'[]'`),
    created: instant(),
    completed: instant().nullable(),
    lastModified: instant(),
  },
});

/** Files that a purge has found. */
export const PurgeFileEntity = defineEntity({
  name: 'PurgeFile',
  tableName: 'purge_file',
  properties: {
    purgeId: bigint().primary(),
    fileId: bigint().primary(),
    round: p.integer().default(0),
    bytes: p.text().default('waiting'),
    wasAsked: p.boolean().default(false),
  },
});

/** Jobs that a purge has found. */
export const PurgeJobEntity = defineEntity({
  name: 'PurgeJob',
  tableName: 'purge_job',
  properties: {
    purgeId: bigint().primary(),
    jobId: bigint().primary(),
    round: p.integer().default(0),
    isReleased: p.boolean().default(false),
  },
});

/** Trees of recipes that a purge has found. */
export const PurgeTreeEntity = defineEntity({
  name: 'PurgeTree',
  tableName: 'purge_tree',
  properties: {
    purgeId: bigint().primary(),
    chainId: bigint().primary(),
    round: p.integer().default(0),
    isReleased: p.boolean().default(false),
  },
});

/** Purged content. */
export const TombstoneEntity = defineEntity({
  name: 'Tombstone',
  tableName: 'tombstone',
  properties: {
    id: identity(),
    purgeId: bigint(),
    workspaceId: bigint(),
    filePath: p.string().length(1000),
    arrival: p.text().nullable(),
    fileSize: bigint(),
    mtimeMs: p.double().nullable(),
    sha256: p.text().nullable(),
    created: instant(),
  },
});

import { defineEntity, p } from '@mikro-orm/core';
import type { Removed } from '../retention/row-removal.ts';
import { bigint, identity, instant } from '../sql/columns.ts';

export type PurgePhase = 'find' | 'stop' | 'release' | 'bytes' | 'rows' | 'done';

/** The results for the files of one workspace. */
export interface WorkspaceTally {
  readonly removed: number;
  readonly absent: number;
  /** Other files are registered at their paths, or other content is there. */
  readonly kept: number;
  /** Files that no retry would remove. */
  readonly failed: number;
  readonly bytes: number;
}

export interface PurgeProblem {
  readonly name: string;
  readonly description: string;
  readonly path: string;
}

/** Purges of source files. */
export const PurgeEntity = defineEntity({
  name: 'Purge',
  tableName: 'purge',
  properties: {
    id: identity(),
    shard: p.smallint(),
    fileId: bigint(),
    fileName: p.string().length(255),
    workspaceId: bigint().nullable(),
    filePath: p.string().length(1000),
    fileSize: bigint(),
    sha256: p.text().nullable(),
    deletesSourceBytes: p.boolean().default(false),
    phase: p.text().$type<PurgePhase>().default('find'),
    round: p.integer().default(1),
    isClosed: p.boolean().default(false),
    isDirty: p.boolean().default(false),
    step: p.integer().default(0),
    reason: p.text().nullable(),
    removed: p.json<Removed>().defaultRaw(`'{}'`),
    workspaces: p.json<Readonly<Record<string, WorkspaceTally>>>().defaultRaw(`'{}'`),
    problems: p.json<readonly PurgeProblem[]>().defaultRaw(`'[]'`),
    created: instant(),
    completed: instant().nullable(),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
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

/** Products that a purge has removed. Trials have no receipt, and are left out. */
export const PurgedProductEntity = defineEntity({
  name: 'PurgedProduct',
  tableName: 'purged_product',
  properties: {
    fileId: bigint().primary().autoincrement(false),
    purgeId: bigint(),
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
    mtimeMs: p.double().$type<number>().nullable(),
    sha256: p.text().nullable(),
    created: instant(),
  },
});

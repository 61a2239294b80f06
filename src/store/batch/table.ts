import { defineEntity, p } from '@mikro-orm/core';
import type { BatchConfiguration, BatchDefinition } from '../../domain/batch/batch-documents.ts';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Batches of recipes. */
export const BatchEntity = defineEntity({
  name: 'Batch',
  tableName: 'batch',
  properties: {
    id: identity(),
    shard: p.smallint(),
    title: p.string().length(50).nullable(),
    description: p.text().nullable(),
    recipeTypeId: bigint(),
    recipeTypeRevId: bigint(),
    eventId: bigint(),
    definition: p.json<BatchDefinition>(),
    configuration: p.json<BatchConfiguration>().defaultRaw(`'{}'`),
    rootBatchId: bigint(),
    supersededBatchId: bigint().nullable(),
    isSuperseded: p.boolean().default(false),
    isCreationDone: p.boolean().default(false),
    cursor: bigint().defaultRaw('0'),
    skippedCount: p.integer().default(0),
    recipesEstimated: p.integer(),
    created: instant(),
    superseded: instant().nullable(),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
    deleted: instant().nullable(),
  },
});

/** The counters of one row; `batch_count_delta` has the same. */
export const batchCounts = {
  recipesTotal: p.integer().default(0),
  recipesCompleted: p.integer().default(0),
  jobsTotal: p.integer().default(0),
  jobsPending: p.integer().default(0),
  jobsBlocked: p.integer().default(0),
  jobsQueued: p.integer().default(0),
  jobsRunning: p.integer().default(0),
  jobsFailed: p.integer().default(0),
  jobsCompleted: p.integer().default(0),
  jobsCanceled: p.integer().default(0),
  jobMsCount: p.integer().default(0),
  jobMsSum: bigint().defaultRaw('0'),
  jobMsMin: bigint().nullable(),
  jobMsMax: bigint().nullable(),
  seedMsCount: p.integer().default(0),
  seedMsSum: bigint().defaultRaw('0'),
  seedMsMin: bigint().nullable(),
  seedMsMax: bigint().nullable(),
};

/** Counters of batches and of their job nodes, folded. */
export const BatchCountEntity = defineEntity({
  name: 'BatchCount',
  tableName: 'batch_count',
  properties: {
    batchId: bigint().primary(),
    node: p.string().length(100).primary(),
    ...batchCounts,
  },
});

/** Differences of commits for the counters of batches. */
export const BatchCountDeltaEntity = defineEntity({
  name: 'BatchCountDelta',
  tableName: 'batch_count_delta',
  properties: {
    id: identity(),
    batchId: bigint(),
    node: p.string().length(100),
    at: instant(),
    ...batchCounts,
  },
});

/** Counters of batches and of their job nodes, folded. Columns only: indexes and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

/** What one row counts; `batch_count_delta` has the same. */
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
  jobMsSum: p.bigint('number').defaultRaw('0'),
  jobMsMin: p.bigint('number').nullable(),
  jobMsMax: p.bigint('number').nullable(),
  seedMsCount: p.integer().default(0),
  seedMsSum: p.bigint('number').defaultRaw('0'),
  seedMsMin: p.bigint('number').nullable(),
  seedMsMax: p.bigint('number').nullable(),
};

export const BatchCountEntity = defineEntity({
  name: 'BatchCount',
  tableName: 'batch_count',
  properties: {
    batchId: p.bigint('number').primary(),
    node: p.string().length(100).primary(),
    ...batchCounts,
  },
});

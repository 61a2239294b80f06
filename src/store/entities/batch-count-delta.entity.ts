/** What commits add to the counters of batches. Columns only: indexes are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import { batchCounts } from './batch-count.entity.ts';

export const BatchCountDeltaEntity = defineEntity({
  name: 'BatchCountDelta',
  tableName: 'batch_count_delta',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    batchId: p.bigint('number'),
    node: p.string().length(100),
    at: p.datetime().columnType('timestamptz'),
    ...batchCounts,
  },
});

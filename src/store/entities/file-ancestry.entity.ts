/**
 * From which files each product descends. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const FileAncestryEntity = defineEntity({
  name: 'FileAncestry',
  tableName: 'file_ancestry',
  properties: {
    descendantId: p.bigint('number').primary(),
    ancestorId: p.bigint('number').primary(),
    isDirect: p.boolean(),
    jobId: p.bigint('number'),
    jobExeId: p.bigint('number'),
    recipeId: p.bigint('number').nullable(),
    batchId: p.bigint('number').nullable(),
  },
});

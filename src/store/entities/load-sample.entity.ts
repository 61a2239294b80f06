/** Live jobs of a type in an hour. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const LoadSampleEntity = defineEntity({
  name: 'LoadSample',
  tableName: 'load_sample',
  properties: {
    hour: p.datetime().columnType('timestamptz').primary(),
    jobTypeId: p.bigint('number').primary(),
    pendingCount: p.integer(),
    queuedCount: p.integer(),
    runningCount: p.integer(),
  },
});

/** Jobs that a purge has found. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const PurgeJobEntity = defineEntity({
  name: 'PurgeJob',
  tableName: 'purge_job',
  properties: {
    purgeId: p.bigint('number').primary(),
    jobId: p.bigint('number').primary(),
    round: p.integer().default(0),
    isReleased: p.boolean().default(false),
  },
});

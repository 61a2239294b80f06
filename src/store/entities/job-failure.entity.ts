/** Jobs that are FAILED now by type and error. Columns only: indexes and checks are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const JobFailureEntity = defineEntity({
  name: 'JobFailure',
  tableName: 'job_failure',
  properties: {
    jobTypeId: p.bigint('number').primary(),
    errorId: p.bigint('number').primary(),
    count: p.integer(),
  },
});

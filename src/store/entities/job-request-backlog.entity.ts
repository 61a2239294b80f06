/**
 * Jobs that requests have come past and are not done with. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const JobRequestBacklogEntity = defineEntity({
  name: 'JobRequestBacklog',
  tableName: 'job_request_backlog',
  properties: {
    requestId: p.bigint('number').primary(),
    jobId: p.bigint('number').primary(),
    isChosen: p.boolean(),
  },
});

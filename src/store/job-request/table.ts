import { defineEntity, p } from '@mikro-orm/core';
import type { JobChoice } from '../../domain/job/job-request.ts';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Requests to cancel or requeue jobs, with their progress. */
export const JobRequestEntity = defineEntity({
  name: 'JobRequest',
  tableName: 'job_request',
  properties: {
    id: identity(),
    shard: p.smallint(),
    action: p.text(),
    choice: p.json<JobChoice>(),
    priority: p.integer().nullable(),
    revision: p.text().nullable(),
    asker: p.text().nullable(),
    position: bigint().autoincrement(),
    beforeId: bigint().nullable(),
    isDone: p.boolean().default(false),
    created: instant(),
    lastModified: instant(),
  },
});

/** Jobs that requests have passed and that are not settled. */
export const JobRequestBacklogEntity = defineEntity({
  name: 'JobRequestBacklog',
  tableName: 'job_request_backlog',
  properties: {
    requestId: bigint().primary(),
    jobId: bigint().primary(),
    isChosen: p.boolean(),
  },
});

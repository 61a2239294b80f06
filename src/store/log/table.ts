import { defineEntity, p } from '@mikro-orm/core';
import { bigint, instant } from '../sql/columns.ts';

/** Output of tasks, in chunks. */
export const JobLogEntity = defineEntity({
  name: 'JobLog',
  tableName: 'job_log',
  properties: {
    jobExeId: bigint().primary(),
    stream: p.text().primary(),
    seq: bigint().primary(),
    at: instant(),
    content: p.blob(),
  },
});

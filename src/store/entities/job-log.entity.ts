/** What tasks wrote, in chunks. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const JobLogEntity = defineEntity({
  name: 'JobLog',
  tableName: 'job_log',
  properties: {
    jobExeId: p.bigint('number').primary(),
    stream: p.text().primary(),
    seq: p.bigint('number').primary(),
    at: p.datetime().columnType('timestamptz'),
    content: p.blob(),
  },
});

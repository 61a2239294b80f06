/** Jobs at rest by slots of five minutes. Columns only: indexes and checks are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const JobOutcomeEntity = defineEntity({
  name: 'JobOutcome',
  tableName: 'job_outcome',
  properties: {
    jobTypeId: p.bigint('number').primary(),
    slot: p.datetime().columnType('timestamptz').primary(),
    status: p.text().primary(),
    errorId: p.bigint('number').primary(),
    count: p.integer(),
    mostRecent: p.datetime().columnType('timestamptz'),
  },
});

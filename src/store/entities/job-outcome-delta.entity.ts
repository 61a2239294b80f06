/** Outcomes of jobs that are not folded yet. Columns only: indexes and checks are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const JobOutcomeDeltaEntity = defineEntity({
  name: 'JobOutcomeDelta',
  tableName: 'job_outcome_delta',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    jobTypeId: p.bigint('number'),
    slot: p.datetime().columnType('timestamptz'),
    status: p.text(),
    errorId: p.bigint('number'),
    count: p.integer(),
    mostRecent: p.datetime().columnType('timestamptz'),
  },
});

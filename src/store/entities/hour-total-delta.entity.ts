/** What is not folded yet into counters by hour. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const HourTotalDeltaEntity = defineEntity({
  name: 'HourTotalDelta',
  tableName: 'hour_total_delta',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    kind: p.text(),
    subjectId: p.bigint('number'),
    measure: p.text(),
    hour: p.datetime().columnType('timestamptz'),
    n: p.bigint('number'),
    total: p.bigint('number'),
    least: p.bigint('number').nullable(),
    most: p.bigint('number').nullable(),
  },
});

/** Counters by hour. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const HourTotalEntity = defineEntity({
  name: 'HourTotal',
  tableName: 'hour_total',
  properties: {
    kind: p.text().primary(),
    subjectId: p.bigint('number').primary(),
    measure: p.text().primary(),
    hour: p.datetime().columnType('timestamptz').primary(),
    n: p.bigint('number'),
    total: p.bigint('number'),
    least: p.bigint('number').nullable(),
    most: p.bigint('number').nullable(),
  },
});

/** Starts that are not folded yet. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const DailyStartDeltaEntity = defineEntity({
  name: 'DailyStartDelta',
  tableName: 'daily_start_delta',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    kind: p.text(),
    typeId: p.bigint('number'),
    day: p.date(),
    count: p.integer(),
  },
});

/** Starts by type and UTC day. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const DailyStartEntity = defineEntity({
  name: 'DailyStart',
  tableName: 'daily_start',
  properties: {
    kind: p.text().primary(),
    typeId: p.bigint('number').primary(),
    day: p.date().primary(),
    count: p.integer(),
  },
});

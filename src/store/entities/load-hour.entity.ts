/** Hours whose live jobs were counted. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const LoadHourEntity = defineEntity({
  name: 'LoadHour',
  tableName: 'load_hour',
  properties: {
    hour: p.datetime().columnType('timestamptz').primary(),
    measured: p.datetime().columnType('timestamptz'),
  },
});

/**
 * Kinds of queued jobs that are alike to the scheduler. Columns only: indexes, checks and foreign keys are
 * the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const SchedulingClassEntity = defineEntity({
  name: 'SchedulingClass',
  tableName: 'scheduling_class',
  properties: {
    key: p.text().primary(),
    jobTypeId: p.bigint('number'),
    spec: p.json<JsonColumn>(),
    unmet: p.text().nullable(),
  },
});

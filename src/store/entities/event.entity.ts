/**
 * What triggered jobs, recipes and batches. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    type: p.text(),
    ruleId: p.bigint('number').nullable(),
    occurred: p.datetime().columnType('timestamptz'),
    description: p.json<JsonColumn>().defaultRaw(`'{}'`),
  },
});

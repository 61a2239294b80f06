/**
 * What is not folded yet into counters of the rows of lists. Columns only: indexes and triggers are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const ListCountDeltaEntity = defineEntity({
  name: 'ListCountDelta',
  tableName: 'list_count_delta',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    kind: p.text(),
    facets: p.json().columnType('jsonb'),
    count: p.bigint('number'),
  },
});

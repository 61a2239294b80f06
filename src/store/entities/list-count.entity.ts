/** Counters of the rows of lists. Columns only: indexes and triggers are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const ListCountEntity = defineEntity({
  name: 'ListCount',
  tableName: 'list_count',
  properties: {
    kind: p.text().primary(),
    facets: p.json().columnType('jsonb').primary(),
    count: p.bigint('number'),
  },
});

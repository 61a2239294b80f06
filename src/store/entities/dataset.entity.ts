/** Datasets. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const DatasetEntity = defineEntity({
  name: 'Dataset',
  tableName: 'dataset',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    title: p.string().length(50).nullable(),
    description: p.text().nullable(),
    definition: p.json<JsonColumn>(),
    fileCount: p.integer().default(0),
    created: p.datetime().columnType('timestamptz'),
  },
});

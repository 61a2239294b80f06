/**
 * Requests to cancel or requeue jobs, and how far they have come. Columns only: indexes, checks and foreign keys are
 * the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const JobRequestEntity = defineEntity({
  name: 'JobRequest',
  tableName: 'job_request',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    action: p.text(),
    choice: p.json<JsonColumn>(),
    priority: p.integer().nullable(),
    revision: p.text().nullable(),
    asker: p.text().nullable(),
    position: p.bigint('number').autoincrement(),
    beforeId: p.bigint('number').nullable(),
    isDone: p.boolean().default(false),
    created: p.datetime().columnType('timestamptz'),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

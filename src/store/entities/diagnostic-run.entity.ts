/**
 * Requests for diagnostics and how far they have come. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const DiagnosticRunEntity = defineEntity({
  name: 'DiagnosticRun',
  tableName: 'diagnostic_run',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    recipeTypeRevId: p.bigint('number'),
    eventId: p.bigint('number'),
    total: p.integer(),
    madeCount: p.integer().default(0),
    position: p.bigint('number').autoincrement(),
    created: p.datetime().columnType('timestamptz'),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

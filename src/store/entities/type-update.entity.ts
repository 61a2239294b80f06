/**
 * Requests to raise the recipe types above a new revision, and how far they have come. Columns only: indexes, checks
 * and foreign keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const TypeUpdateEntity = defineEntity({
  name: 'TypeUpdate',
  tableName: 'type_update',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    kind: p.text(),
    typeId: p.bigint('number'),
    revisionNum: p.integer(),
    raisedCount: p.integer().default(0),
    unchangedCount: p.integer().default(0),
    behindCount: p.integer().default(0),
    total: p.integer(),
    created: p.datetime().columnType('timestamptz'),
    completed: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

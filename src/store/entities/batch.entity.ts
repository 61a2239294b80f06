/** Batches of recipes. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const BatchEntity = defineEntity({
  name: 'Batch',
  tableName: 'batch',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    title: p.string().length(50).nullable(),
    description: p.text().nullable(),
    recipeTypeId: p.bigint('number'),
    recipeTypeRevId: p.bigint('number'),
    eventId: p.bigint('number'),
    definition: p.json<JsonColumn>(),
    configuration: p.json<JsonColumn>().defaultRaw(`'{}'`),
    rootBatchId: p.bigint('number'),
    supersededBatchId: p.bigint('number').nullable(),
    isSuperseded: p.boolean().default(false),
    isCreationDone: p.boolean().default(false),
    cursor: p.bigint('number').defaultRaw('0'),
    skippedCount: p.integer().default(0),
    recipesEstimated: p.integer(),
    created: p.datetime().columnType('timestamptz'),
    superseded: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

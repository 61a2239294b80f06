/**
 * Recipes and sub-recipes with the counters of their jobs. Columns only: indexes, checks and foreign keys
 * are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const RecipeEntity = defineEntity({
  name: 'Recipe',
  tableName: 'recipe',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    rootId: p.bigint('number'),
    parentId: p.bigint('number').nullable(),
    parentNode: p.string().length(100).nullable(),
    recipeTypeId: p.bigint('number'),
    recipeTypeRevId: p.bigint('number'),
    eventId: p.bigint('number'),
    batchId: p.bigint('number').nullable(),
    ingestId: p.bigint('number').nullable(),
    isSuperseded: p.boolean().default(false),
    supersededRecipeId: p.bigint('number').nullable(),
    input: p.json<JsonColumn>().nullable(),
    configuration: p.json<JsonColumn>().nullable(),
    inputFileSize: p.decimal('number').columnType('numeric').nullable(),
    sourceStarted: p.datetime().columnType('timestamptz').nullable(),
    sourceEnded: p.datetime().columnType('timestamptz').nullable(),
    sourceSensorClass: p.text().nullable(),
    sourceSensor: p.text().nullable(),
    sourceCollection: p.text().nullable(),
    sourceTask: p.text().nullable(),
    jobsTotal: p.integer().default(0),
    jobsPending: p.integer().default(0),
    jobsBlocked: p.integer().default(0),
    jobsQueued: p.integer().default(0),
    jobsRunning: p.integer().default(0),
    jobsFailed: p.integer().default(0),
    jobsCompleted: p.integer().default(0),
    jobsCanceled: p.integer().default(0),
    subRecipesTotal: p.integer().default(0),
    subRecipesCompleted: p.integer().default(0),
    isCompleted: p.boolean().default(false),
    created: p.datetime().columnType('timestamptz'),
    completed: p.datetime().columnType('timestamptz').nullable(),
    superseded: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
    chainId: p.bigint('number'),
    batchMemberId: p.bigint('number').nullable(),
  },
});

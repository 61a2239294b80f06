import { defineEntity, p } from '@mikro-orm/core';
import type { DataDocument } from '../../domain/job/job.ts';
import { bigint, identity, instant, type JsonObject } from '../sql/columns.ts';

/** Recipes and sub-recipes with the counters of their jobs. */
export const RecipeEntity = defineEntity({
  name: 'Recipe',
  tableName: 'recipe',
  properties: {
    id: identity(),
    shard: p.smallint(),
    rootId: bigint(),
    parentId: bigint().nullable(),
    parentNode: p.string().length(100).nullable(),
    recipeTypeId: bigint(),
    recipeTypeRevId: bigint(),
    eventId: bigint(),
    batchId: bigint().nullable(),
    ingestId: bigint().nullable(),
    isSuperseded: p.boolean().default(false),
    supersededRecipeId: bigint().nullable(),
    input: p.json<DataDocument>().nullable(),
    configuration: p.json<JsonObject>().nullable(),
    inputFileSize: p.decimal('number').columnType('numeric').nullable(),
    sourceStarted: instant().nullable(),
    sourceEnded: instant().nullable(),
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
    created: instant(),
    completed: instant().nullable(),
    superseded: instant().nullable(),
    lastModified: instant(),
    chainId: bigint(),
    batchMemberId: bigint().nullable(),
    objectVersion: p.integer().default(1),
  },
});

/** The nodes of each recipe: a job, a sub-recipe or a condition. */
export const RecipeNodeEntity = defineEntity({
  name: 'RecipeNode',
  tableName: 'recipe_node',
  properties: {
    recipeId: bigint().primary(),
    name: p.string().length(100).primary(),
    isOriginal: p.boolean().default(true),
    jobId: bigint().nullable(),
    subRecipeId: bigint().nullable(),
    conditionId: bigint().nullable(),
  },
});

/** Conditions of recipes. */
export const RecipeConditionEntity = defineEntity({
  name: 'RecipeCondition',
  tableName: 'recipe_condition',
  properties: {
    id: identity(),
    recipeId: bigint(),
    nodeName: p.string().length(100),
    isProcessed: p.boolean().default(false),
    isAccepted: p.boolean().default(false),
    reason: p.text().nullable(),
    data: p.json<DataDocument>().nullable(),
    created: instant(),
    processed: instant().nullable(),
    objectVersion: p.integer().default(1),
  },
});

/** Input files of recipes. */
export const RecipeInputFileEntity = defineEntity({
  name: 'RecipeInputFile',
  tableName: 'recipe_input_file',
  properties: {
    recipeId: bigint().primary(),
    input: p.string().length(250).primary(),
    fileId: bigint().primary(),
  },
});

/** Conditions of recipes. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const RecipeConditionEntity = defineEntity({
  name: 'RecipeCondition',
  tableName: 'recipe_condition',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    recipeId: p.bigint('number'),
    nodeName: p.string().length(100),
    isProcessed: p.boolean().default(false),
    isAccepted: p.boolean().default(false),
    reason: p.text().nullable(),
    data: p.json<JsonColumn>().nullable(),
    created: p.datetime().columnType('timestamptz'),
    processed: p.datetime().columnType('timestamptz').nullable(),
  },
});

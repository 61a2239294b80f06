/**
 * The nodes of each recipe: a job, a sub-recipe or a condition. Columns only: indexes, checks and foreign
 * keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const RecipeNodeEntity = defineEntity({
  name: 'RecipeNode',
  tableName: 'recipe_node',
  properties: {
    recipeId: p.bigint('number').primary(),
    name: p.string().length(100).primary(),
    isOriginal: p.boolean().default(true),
    jobId: p.bigint('number').nullable(),
    subRecipeId: p.bigint('number').nullable(),
    conditionId: p.bigint('number').nullable(),
  },
});

/**
 * Job types that the newest definition of a recipe type names. Columns only: indexes, checks and foreign
 * keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const RecipeTypeJobTypeEntity = defineEntity({
  name: 'RecipeTypeJobType',
  tableName: 'recipe_type_job_type',
  properties: {
    recipeTypeId: p.bigint('number').primary(),
    jobTypeId: p.bigint('number').primary(),
  },
});

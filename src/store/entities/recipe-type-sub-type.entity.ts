/**
 * Recipe types that the newest definition of a recipe type names. Columns only: indexes, checks and foreign
 * keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const RecipeTypeSubTypeEntity = defineEntity({
  name: 'RecipeTypeSubType',
  tableName: 'recipe_type_sub_type',
  properties: {
    recipeTypeId: p.bigint('number').primary(),
    subRecipeTypeId: p.bigint('number').primary(),
  },
});

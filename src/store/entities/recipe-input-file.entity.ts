/** Input files of recipes. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const RecipeInputFileEntity = defineEntity({
  name: 'RecipeInputFile',
  tableName: 'recipe_input_file',
  properties: {
    recipeId: p.bigint('number').primary(),
    input: p.string().length(250).primary(),
    fileId: p.bigint('number').primary(),
  },
});

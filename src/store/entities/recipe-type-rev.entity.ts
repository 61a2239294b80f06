/** Revisions of recipe types. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const RecipeTypeRevEntity = defineEntity({
  name: 'RecipeTypeRev',
  tableName: 'recipe_type_rev',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    recipeTypeId: p.bigint('number'),
    revisionNum: p.integer(),
    definition: p.json<JsonColumn>(),
    created: p.datetime().columnType('timestamptz'),
  },
});

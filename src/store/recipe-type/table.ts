import { defineEntity, p } from '@mikro-orm/core';
import type { Labels } from '../../domain/labels.ts';
import { bigint, identity, instant, type JsonObject } from '../sql/columns.ts';

/** Recipe types; the newest definition is repeated here. */
export const RecipeTypeEntity = defineEntity({
  name: 'RecipeType',
  tableName: 'recipe_type',
  properties: {
    id: identity(),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.string().length(500).default(''),
    isActive: p.boolean().default(true),
    isSystem: p.boolean().default(false),
    revisionNum: p.integer().default(1),
    definition: p.json<JsonObject>(),
    created: instant(),
    deprecated: instant().nullable(),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
    deleted: instant().nullable(),
    labels: p.json<Labels>().defaultRaw(`'{}'`),
  },
});

/** Revisions of recipe types. */
export const RecipeTypeRevEntity = defineEntity({
  name: 'RecipeTypeRev',
  tableName: 'recipe_type_rev',
  properties: {
    id: identity(),
    recipeTypeId: bigint(),
    revisionNum: p.integer(),
    definition: p.json<JsonObject>(),
    created: instant(),
  },
});

/** Job types that the newest definition of a recipe type names. */
export const RecipeTypeJobTypeEntity = defineEntity({
  name: 'RecipeTypeJobType',
  tableName: 'recipe_type_job_type',
  properties: {
    recipeTypeId: bigint().primary(),
    jobTypeId: bigint().primary(),
  },
});

/** Recipe types that the newest definition of a recipe type names. */
export const RecipeTypeSubTypeEntity = defineEntity({
  name: 'RecipeTypeSubType',
  tableName: 'recipe_type_sub_type',
  properties: {
    recipeTypeId: bigint().primary(),
    subRecipeTypeId: bigint().primary(),
  },
});

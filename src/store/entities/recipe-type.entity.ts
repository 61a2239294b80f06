/**
 * Recipe types; the newest definition is repeated here. Columns only: indexes, checks and foreign keys are
 * the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const RecipeTypeEntity = defineEntity({
  name: 'RecipeType',
  tableName: 'recipe_type',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.string().length(500).default(''),
    isActive: p.boolean().default(true),
    isSystem: p.boolean().default(false),
    revisionNum: p.integer().default(1),
    definition: p.json<JsonColumn>(),
    created: p.datetime().columnType('timestamptz'),
    deprecated: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

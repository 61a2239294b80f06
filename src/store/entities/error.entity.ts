/**
 * Registered errors: built-in ones and those that manifests declare. Columns only: indexes, checks and
 * foreign keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const ErrorEntity = defineEntity({
  name: 'Error',
  tableName: 'error',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.string().length(250).default(''),
    jobTypeName: p.string().length(250).nullable(),
    category: p.text(),
    isBuiltin: p.boolean().default(false),
    shouldBeRetried: p.boolean().default(false),
    created: p.datetime().columnType('timestamptz'),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

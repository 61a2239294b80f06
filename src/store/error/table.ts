import { defineEntity, p } from '@mikro-orm/core';
import { identity, instant } from '../sql/columns.ts';

/** Registered errors: built-in ones and those that manifests declare. */
export const ErrorEntity = defineEntity({
  name: 'Error',
  tableName: 'error',
  properties: {
    id: identity(),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.string().length(250).default(''),
    jobTypeName: p.string().length(250).nullable(),
    category: p.text(),
    isBuiltin: p.boolean().default(false),
    shouldBeRetried: p.boolean().default(false),
    created: instant(),
    lastModified: instant(),
  },
});

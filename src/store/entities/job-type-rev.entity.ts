/**
 * Revisions of job types: manifest and image. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const JobTypeRevEntity = defineEntity({
  name: 'JobTypeRev',
  tableName: 'job_type_rev',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    jobTypeId: p.bigint('number'),
    revisionNum: p.integer(),
    containerImage: p.string().length(500),
    manifest: p.json<JsonColumn>(),
    created: p.datetime().columnType('timestamptz'),
  },
});

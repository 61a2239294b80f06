/**
 * Configurations of job types that an edit has replaced. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const JobTypeFormerConfigurationEntity = defineEntity({
  name: 'JobTypeFormerConfiguration',
  tableName: 'job_type_former_configuration',
  properties: {
    jobTypeId: p.bigint('number').primary(),
    replaced: p.datetime().columnType('timestamptz').primary(),
    configuration: p.json<JsonColumn>(),
    secretNames: p.array().columnType('text[]'),
  },
});

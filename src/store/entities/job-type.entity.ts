/**
 * Job types by name and version; the newest revision's manifest is in its revision. Columns only: indexes,
 * checks and foreign keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const JobTypeEntity = defineEntity({
  name: 'JobType',
  tableName: 'job_type',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    name: p.string().length(50),
    version: p.string().length(50),
    title: p.text(),
    description: p.text().default(''),
    iconCode: p.string().length(20).nullable(),
    isPublished: p.boolean().default(false),
    isActive: p.boolean().default(true),
    isPaused: p.boolean().default(false),
    isSystem: p.boolean().default(false),
    maxScheduled: p.integer().nullable(),
    maxTries: p.integer().default(3),
    revisionNum: p.integer().default(1),
    containerImage: p.string().length(500),
    unmetResources: p.string().length(250).nullable(),
    configuration: p.json<JsonColumn>().defaultRaw(`'{}'`),
    secrets: p.blob().nullable(),
    tags: p.array().columnType('text[]').defaultRaw(`'{}'`),
    created: p.datetime().columnType('timestamptz'),
    deprecated: p.datetime().columnType('timestamptz').nullable(),
    paused: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
    unmetSince: p.datetime().columnType('timestamptz').nullable(),
  },
});

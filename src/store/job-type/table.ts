import { defineEntity, p } from '@mikro-orm/core';
import type { Labels } from '../../domain/labels.ts';
import { bigint, identity, instant, type JsonObject, texts } from '../sql/columns.ts';

/** Job types by name and version; manifests are in their revisions. */
export const JobTypeEntity = defineEntity({
  name: 'JobType',
  tableName: 'job_type',
  properties: {
    id: identity(),
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
    configuration: p.json<JsonObject>().defaultRaw(`'{}'`),
    secrets: p.blob().nullable(),
    tags: texts().defaultRaw(`'{}'`),
    created: instant(),
    deprecated: instant().nullable(),
    paused: instant().nullable(),
    lastModified: instant(),
    unmetSince: instant().nullable(),
    objectVersion: p.integer().default(1),
    deleted: instant().nullable(),
    labels: p.json<Labels>().defaultRaw(`'{}'`),
    expires: instant().nullable(),
    triedBy: bigint().nullable(),
  },
});

/** Revisions of job types: manifest and image. */
export const JobTypeRevEntity = defineEntity({
  name: 'JobTypeRev',
  tableName: 'job_type_rev',
  properties: {
    id: identity(),
    jobTypeId: bigint(),
    revisionNum: p.integer(),
    containerImage: p.string().length(500),
    manifest: p.json<JsonObject>(),
    created: instant(),
  },
});

/** Former configurations of job types. */
export const JobTypeFormerConfigurationEntity = defineEntity({
  name: 'JobTypeFormerConfiguration',
  tableName: 'job_type_former_configuration',
  properties: {
    jobTypeId: bigint().primary(),
    replaced: instant().primary(),
    configuration: p.json<JsonObject>(),
    secretNames: texts(),
  },
});

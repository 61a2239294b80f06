/**
 * Jobs. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const JobEntity = defineEntity({
  name: 'Job',
  tableName: 'job',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    ownerKind: p.text(),
    ownerKey: p.bigint('number'),
    jobTypeId: p.bigint('number'),
    jobTypeRevId: p.bigint('number'),
    eventId: p.bigint('number'),
    recipeId: p.bigint('number').nullable(),
    recipeNode: p.string().length(100).nullable(),
    recipeIds: p
      .array((item) => Number(item))
      .columnType('bigint[]')
      .defaultRaw(`'{}'`),
    batchId: p.bigint('number').nullable(),
    status: p.text(),
    nodeId: p.bigint('number').nullable(),
    errorId: p.bigint('number').nullable(),
    numExes: p.integer().default(0),
    maxTries: p.integer(),
    priority: p.integer(),
    timeoutS: p.integer().default(0),
    classKey: p.text().nullable(),
    resources: p.json<JsonColumn>().defaultRaw(`'{}'`),
    input: p.json<JsonColumn>().nullable(),
    output: p.json<JsonColumn>().nullable(),
    configuration: p.json<JsonColumn>().nullable(),
    inputFileSize: p.decimal('number').columnType('numeric').nullable(),
    sourceStarted: p.datetime().columnType('timestamptz').nullable(),
    sourceEnded: p.datetime().columnType('timestamptz').nullable(),
    sourceSensorClass: p.text().nullable(),
    sourceSensor: p.text().nullable(),
    sourceCollection: p.text().nullable(),
    sourceTask: p.text().nullable(),
    isSuperseded: p.boolean().default(false),
    supersededJobId: p.bigint('number').nullable(),
    requestPosition: p.bigint('number').nullable(),
    created: p.datetime().columnType('timestamptz'),
    queued: p.datetime().columnType('timestamptz').nullable(),
    started: p.datetime().columnType('timestamptz').nullable(),
    ended: p.datetime().columnType('timestamptz').nullable(),
    lastStatusChange: p.datetime().columnType('timestamptz'),
    superseded: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
    notBefore: p.datetime().columnType('timestamptz').nullable(),
    batchIds: p
      .array((item) => Number(item))
      .columnType('bigint[]')
      .defaultRaw(`'{}'`),
    seedMs: p.bigint('number').nullable(),
    reason: p.text().nullable(),
    liveRecipeId: p.bigint('number').nullable(),
    liveBatchId: p.bigint('number').nullable(),
  },
});

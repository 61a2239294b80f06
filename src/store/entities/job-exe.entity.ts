/** Executions of jobs: one try each. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const JobExeEntity = defineEntity({
  name: 'JobExe',
  tableName: 'job_exe',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    jobId: p.bigint('number'),
    exeNum: p.integer(),
    jobTypeId: p.bigint('number'),
    jobTypeRevId: p.bigint('number').nullable(),
    recipeId: p.bigint('number').nullable(),
    batchId: p.bigint('number').nullable(),
    nodeId: p.bigint('number'),
    status: p.text(),
    errorId: p.bigint('number').nullable(),
    resources: p.json<JsonColumn>().defaultRaw(`'{}'`),
    timeoutS: p.integer().default(0),
    inputFileSize: p.decimal('number').columnType('numeric').nullable(),
    output: p.json<JsonColumn>().nullable(),
    taskResults: p.json<JsonColumn>().nullable(),
    created: p.datetime().columnType('timestamptz'),
    queued: p.datetime().columnType('timestamptz'),
    started: p.datetime().columnType('timestamptz'),
    ended: p.datetime().columnType('timestamptz').nullable(),
    seedStarted: p.datetime().columnType('timestamptz').nullable(),
    seedEnded: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
    reason: p.text().nullable(),
  },
});

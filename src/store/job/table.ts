import { defineEntity, p } from '@mikro-orm/core';
import type { DataDocument, JobOwner, JobStatus } from '../../domain/job/job.ts';
import type { Resources } from '../../domain/scheduling/scheduling-class.ts';
import type { LogCut, PhaseTime, Used } from '../../domain/task/task-result.ts';
import { bigint, bigints, identity, instant, type JsonObject } from '../sql/columns.ts';

/** Jobs. */
export const JobEntity = defineEntity({
  name: 'Job',
  tableName: 'job',
  properties: {
    id: identity(),
    shard: p.smallint(),
    ownerKind: p.text().$type<JobOwner['kind']>(),
    ownerKey: bigint(),
    jobTypeId: bigint(),
    jobTypeRevId: bigint(),
    eventId: bigint(),
    recipeId: bigint().nullable(),
    recipeNode: p.string().length(100).nullable(),
    recipeIds: bigints().defaultRaw(`'{}'`),
    batchId: bigint().nullable(),
    status: p.text().$type<JobStatus>(),
    nodeId: bigint().nullable(),
    errorId: bigint().nullable(),
    numExes: p.integer().default(0),
    maxTries: p.integer(),
    priority: p.integer(),
    timeoutS: p.integer().default(0),
    classKey: p.text().nullable(),
    resources: p.json<Resources>().defaultRaw(`'{}'`),
    input: p.json<DataDocument>().nullable(),
    output: p.json<DataDocument>().nullable(),
    configuration: p.json<JsonObject>().nullable(),
    inputFileSize: p.decimal('number').columnType('numeric').nullable(),
    sourceStarted: instant().nullable(),
    sourceEnded: instant().nullable(),
    sourceSensorClass: p.text().nullable(),
    sourceSensor: p.text().nullable(),
    sourceCollection: p.text().nullable(),
    sourceTask: p.text().nullable(),
    isSuperseded: p.boolean().default(false),
    supersededJobId: bigint().nullable(),
    requestPosition: bigint().nullable(),
    created: instant(),
    queued: instant().nullable(),
    started: instant().nullable(),
    ended: instant().nullable(),
    lastStatusChange: instant(),
    superseded: instant().nullable(),
    lastModified: instant(),
    notBefore: instant().nullable(),
    batchIds: bigints().defaultRaw(`'{}'`),
    seedMs: bigint().nullable(),
    reason: p.text().nullable(),
    liveRecipeId: bigint().nullable(),
    liveBatchId: bigint().nullable(),
    objectVersion: p.integer().default(1),
  },
});

/** Executions of jobs, one for each try. */
export const JobExeEntity = defineEntity({
  name: 'JobExe',
  tableName: 'job_exe',
  properties: {
    id: identity(),
    jobId: bigint(),
    exeNum: p.integer(),
    jobTypeId: bigint(),
    jobTypeRevId: bigint().nullable(),
    recipeId: bigint().nullable(),
    batchId: bigint().nullable(),
    nodeId: bigint(),
    status: p.text().$type<JobStatus>(),
    errorId: bigint().nullable(),
    resources: p.json<Resources>().defaultRaw(`'{}'`),
    timeoutS: p.integer().default(0),
    inputFileSize: p.decimal('number').columnType('numeric').nullable(),
    output: p.json<DataDocument>().nullable(),
    taskResults: p.json<{ readonly phases: readonly PhaseTime[] }>().nullable(),
    created: instant(),
    queued: instant(),
    started: instant(),
    ended: instant().nullable(),
    seedStarted: instant().nullable(),
    seedEnded: instant().nullable(),
    lastModified: instant(),
    reason: p.text().nullable(),
    objectVersion: p.integer().default(1),
    used: p.json<Used>().nullable(),
    imageDigest: p.text().nullable(),
    logCut: p.json<LogCut>().nullable(),
  },
});

/** Input files of jobs. */
export const JobInputFileEntity = defineEntity({
  name: 'JobInputFile',
  tableName: 'job_input_file',
  properties: {
    jobId: bigint().primary(),
    input: p.string().length(250).primary(),
    fileId: bigint().primary(),
  },
});

/** Jobs that are FAILED at present, by type and error. */
export const JobFailureEntity = defineEntity({
  name: 'JobFailure',
  tableName: 'job_failure',
  properties: {
    jobTypeId: bigint().primary(),
    errorId: bigint().primary(),
    count: p.integer(),
  },
});

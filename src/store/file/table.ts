import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant, type JsonObject, texts } from '../sql/columns.ts';

/** Stored files: sources and products. */
export const FileEntity = defineEntity({
  name: 'File',
  tableName: 'file',
  properties: {
    id: identity(),
    uuid: p.uuid(),
    fileType: p.text(),
    fileName: p.string().length(255),
    mediaType: p.string().length(250),
    fileSize: bigint(),
    sha256: p.text().nullable(),
    dataTypeTags: texts().defaultRaw(`'{}'`),
    workspaceId: bigint(),
    filePath: p.string().length(1000),
    isDeleted: p.boolean().default(false),
    deleted: instant().nullable(),
    dataStarted: instant().nullable(),
    dataEnded: instant().nullable(),
    sourceStarted: instant().nullable(),
    sourceEnded: instant().nullable(),
    sourceSensorClass: p.text().nullable(),
    sourceSensor: p.text().nullable(),
    sourceCollection: p.text().nullable(),
    sourceTask: p.text().nullable(),
    geometry: p.text().nullable(),
    centerPoint: p.text().nullable(),
    countries: texts().defaultRaw(`'{}'`),
    metaData: p.json<JsonObject>().defaultRaw(`'{}'`),
    isParsed: p.boolean().default(false),
    parsed: instant().nullable(),
    jobId: bigint().nullable(),
    jobExeId: bigint().nullable(),
    jobTypeId: bigint().nullable(),
    jobOutput: p.string().length(250).nullable(),
    recipeId: bigint().nullable(),
    recipeNode: p.string().length(100).nullable(),
    recipeTypeId: bigint().nullable(),
    batchId: bigint().nullable(),
    isPublished: p.boolean().default(true),
    isSuperseded: p.boolean().default(false),
    superseded: instant().nullable(),
    created: instant(),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
  },
});

/** The ancestors of each product. */
export const FileAncestryEntity = defineEntity({
  name: 'FileAncestry',
  tableName: 'file_ancestry',
  properties: {
    descendantId: bigint().primary(),
    ancestorId: bigint().primary(),
    isDirect: p.boolean(),
    jobId: bigint(),
    jobExeId: bigint(),
    recipeId: bigint().nullable(),
    batchId: bigint().nullable(),
  },
});

/** The job that has reserved a path which does not name its execution. Superseded products keep their paths. */
export const ReservedPathEntity = defineEntity({
  name: 'ReservedPath',
  tableName: 'reserved_path',
  properties: {
    workspaceId: bigint().primary(),
    filePath: p.string().length(1_000).primary(),
    jobId: bigint(),
    jobExeId: bigint(),
    proof: p.text(),
    fileSize: bigint(),
    sha256: p.text(),
    reserved: instant(),
  },
});

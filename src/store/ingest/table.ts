import { defineEntity, p } from '@mikro-orm/core';
import type { IngestStatus } from '../../domain/ingest/ingest.ts';
import { bigint, identity, instant, texts } from '../sql/columns.ts';

/** Ingests of files. */
export const IngestEntity = defineEntity({
  name: 'Ingest',
  tableName: 'ingest',
  properties: {
    id: identity(),
    strikeId: bigint().nullable(),
    scanId: bigint().nullable(),
    jobId: bigint().nullable(),
    fileName: p.string().length(255),
    status: p.text().$type<IngestStatus>(),
    workspaceId: bigint(),
    filePath: p.string().length(1000),
    arrival: p.text().nullable(),
    fileSize: bigint().defaultRaw('0'),
    mtimeMs: p.double().$type<number>().nullable(),
    bytesTransferred: bigint().defaultRaw('0'),
    transferStarted: instant().nullable(),
    transferEnded: instant().nullable(),
    mediaType: p.string().length(250),
    dataTypeTags: texts().defaultRaw(`'{}'`),
    newWorkspaceId: bigint().nullable(),
    newFilePath: p.string().length(1000).nullable(),
    ingestStarted: instant().nullable(),
    ingestEnded: instant().nullable(),
    sourceFileId: bigint().nullable(),
    reason: p.text().nullable(),
    dataStarted: instant().nullable(),
    dataEnded: instant().nullable(),
    created: instant(),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
  },
});

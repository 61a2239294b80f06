import { defineEntity, p } from '@mikro-orm/core';
import { bigint, bigints, type Document, identity, instant } from '../columns.ts';

/** Datasets. */
export const DatasetEntity = defineEntity({
  name: 'Dataset',
  tableName: 'dataset',
  properties: {
    id: identity(),
    title: p.string().length(50).nullable(),
    description: p.text().nullable(),
    definition: p.json<Document>(),
    fileCount: p.integer().default(0),
    created: instant(),
  },
});

/** Members of datasets. */
export const DatasetMemberEntity = defineEntity({
  name: 'DatasetMember',
  tableName: 'dataset_member',
  properties: {
    id: identity(),
    datasetId: bigint(),
    data: p.json<Document>(),
    fileIds: bigints().defaultRaw(`'{}'`),
    created: instant(),
  },
});

/** Files of datasets, each once. */
export const DatasetFileEntity = defineEntity({
  name: 'DatasetFile',
  tableName: 'dataset_file',
  properties: {
    id: identity(),
    datasetId: bigint(),
    fileId: bigint(),
    parameterName: p.string().length(250),
  },
});

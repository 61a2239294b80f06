import { defineEntity, p } from '@mikro-orm/core';
import type { Data } from '../../domain/data/data.ts';
import type { DatasetDefinition } from '../../domain/dataset/dataset.ts';
import { bigint, bigints, identity, instant } from '../sql/columns.ts';

/** Datasets. */
export const DatasetEntity = defineEntity({
  name: 'Dataset',
  tableName: 'dataset',
  properties: {
    id: identity(),
    title: p.string().length(50).nullable(),
    description: p.text().nullable(),
    definition: p.json<DatasetDefinition>(),
    fileCount: p.integer().default(0),
    created: instant(),
    objectVersion: p.integer().default(1),
    deleted: instant().nullable(),
  },
});

/** Members of datasets. */
export const DatasetMemberEntity = defineEntity({
  name: 'DatasetMember',
  tableName: 'dataset_member',
  properties: {
    id: identity(),
    datasetId: bigint(),
    data: p.json<Data>(),
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

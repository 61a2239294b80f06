/** Members of datasets. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const DatasetMemberEntity = defineEntity({
  name: 'DatasetMember',
  tableName: 'dataset_member',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    datasetId: p.bigint('number'),
    data: p.json<JsonColumn>(),
    fileIds: p
      .array((item) => Number(item))
      .columnType('bigint[]')
      .defaultRaw(`'{}'`),
    created: p.datetime().columnType('timestamptz'),
  },
});

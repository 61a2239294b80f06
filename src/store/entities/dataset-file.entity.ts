/** Files of datasets, each once. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const DatasetFileEntity = defineEntity({
  name: 'DatasetFile',
  tableName: 'dataset_file',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    datasetId: p.bigint('number'),
    fileId: p.bigint('number'),
    parameterName: p.string().length(250),
  },
});

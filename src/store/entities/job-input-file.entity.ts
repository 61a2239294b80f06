/** Input files of jobs. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const JobInputFileEntity = defineEntity({
  name: 'JobInputFile',
  tableName: 'job_input_file',
  properties: {
    jobId: p.bigint('number').primary(),
    input: p.string().length(250).primary(),
    fileId: p.bigint('number').primary(),
  },
});

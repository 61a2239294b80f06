/** Files that a purge has found. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const PurgeFileEntity = defineEntity({
  name: 'PurgeFile',
  tableName: 'purge_file',
  properties: {
    purgeId: p.bigint('number').primary(),
    fileId: p.bigint('number').primary(),
    round: p.integer().default(0),
    bytes: p.text().default('waiting'),
    wasAsked: p.boolean().default(false),
  },
});

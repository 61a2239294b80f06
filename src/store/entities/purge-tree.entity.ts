/** Trees of recipes that a purge has found. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const PurgeTreeEntity = defineEntity({
  name: 'PurgeTree',
  tableName: 'purge_tree',
  properties: {
    purgeId: p.bigint('number').primary(),
    chainId: p.bigint('number').primary(),
    round: p.integer().default(0),
    isReleased: p.boolean().default(false),
  },
});

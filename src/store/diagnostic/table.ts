import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Requests for diagnostics and their progress. */
export const DiagnosticRunEntity = defineEntity({
  name: 'DiagnosticRun',
  tableName: 'diagnostic_run',
  properties: {
    id: identity(),
    shard: p.smallint(),
    recipeTypeRevId: bigint(),
    eventId: bigint(),
    total: p.integer(),
    madeCount: p.integer().default(0),
    position: bigint().autoincrement(),
    created: instant(),
    lastModified: instant(),
  },
});

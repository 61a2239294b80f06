/** How far sweeps through old rows have come. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const RetentionCursorEntity = defineEntity({
  name: 'RetentionCursor',
  tableName: 'retention_cursor',
  properties: {
    kind: p.text().primary(),
    at: p.datetime().columnType('timestamptz'),
    id: p.bigint('number'),
  },
});

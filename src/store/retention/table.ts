import { defineEntity, p } from '@mikro-orm/core';
import { bigint, instant } from '../sql/columns.ts';

/** Progress of the removal of old rows. */
export const RetentionCursorEntity = defineEntity({
  name: 'RetentionCursor',
  tableName: 'retention_cursor',
  properties: {
    kind: p.text().primary(),
    at: instant(),
    id: bigint(),
  },
});

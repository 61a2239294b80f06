/**
 * What a coordinator warns of, by its place, which is the same when it is started again, and who has said so last.
 * Columns only: indexes, checks and foreign keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const CoordinatorWarningEntity = defineEntity({
  name: 'CoordinatorWarning',
  tableName: 'coordinator_warning',
  properties: {
    place: p.text().primary(),
    name: p.text().primary(),
    coordinatorId: p.text(),
    reason: p.text(),
    started: p.datetime().columnType('timestamptz'),
    seen: p.datetime().columnType('timestamptz'),
  },
});

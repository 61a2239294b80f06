import { defineEntity, p } from '@mikro-orm/core';
import { instant } from '../sql/columns.ts';

/** Live coordinators: their identity and the expiry of their seat. */
export const CoordinatorEntity = defineEntity({
  name: 'Coordinator',
  tableName: 'coordinator',
  properties: {
    id: p.text().primary(),
    httpAddress: p.text().nullable(),
    grpcAddress: p.text().nullable(),
    version: p.text(),
    busKey: p.text().nullable(),
    started: instant(),
    expires: instant(),
    leaseMs: p.integer().nullable(),
  },
});

/**
 * Warnings by the place of their coordinator, which a restart does not change. `coordinatorId` is the coordinator that
 * reported last.
 */
export const CoordinatorWarningEntity = defineEntity({
  name: 'CoordinatorWarning',
  tableName: 'coordinator_warning',
  properties: {
    place: p.text().primary(),
    name: p.text().primary(),
    coordinatorId: p.text(),
    reason: p.text(),
    started: instant(),
    seen: instant(),
  },
});

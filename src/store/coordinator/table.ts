import { defineEntity, p } from '@mikro-orm/core';
import { instant } from '../sql/columns.ts';

/** Coordinators that are alive: who they are and until when they are believed. */
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

/** What a coordinator warns of, by its place, which is the same when it is started again, and who has said so last. */
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

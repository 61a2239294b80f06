/**
 * Coordinators that are alive: who they are and until when they are believed. Columns only: indexes, checks
 * and foreign keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const CoordinatorEntity = defineEntity({
  name: 'Coordinator',
  tableName: 'coordinator',
  properties: {
    id: p.text().primary(),
    httpAddress: p.text().nullable(),
    grpcAddress: p.text().nullable(),
    version: p.text(),
    busKey: p.text().nullable(),
    started: p.datetime().columnType('timestamptz'),
    expires: p.datetime().columnType('timestamptz'),
    leaseMs: p.integer().nullable(),
  },
});

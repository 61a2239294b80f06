import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant, type JsonObject } from '../sql/columns.ts';

/** Answers of requests with an Idempotency-Key. */
export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    id: identity(),
    accountId: bigint(),
    key: p.string().length(255),
    fingerprint: p.blob(),
    status: p.smallint(),
    location: p.text().nullable(),
    warning: p.text().nullable(),
    record: p.json<JsonObject>().columnType('json').nullable(),
    secretRecord: p.blob().nullable(),
    created: instant().defaultRaw('now()'),
  },
});

/** Keys of requests in progress. No entity is read or written: statements use the columns only. */
export const IdempotencyClaimEntity = defineEntity({
  name: 'IdempotencyClaim',
  tableName: 'idempotency_claim',
  properties: {
    accountId: bigint().primary(),
    key: p.string().length(255).primary(),
    coordinatorId: p.text(),
    expires: instant(),
  },
});

/** Answers of requests with an Idempotency-Key. Columns only: indexes and checks are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    accountId: p.bigint('number'),
    key: p.string().length(255),
    fingerprint: p.blob(),
    status: p.smallint(),
    location: p.text().nullable(),
    warning: p.text().nullable(),
    record: p.json<JsonColumn>().columnType('json').nullable(),
    secretRecord: p.blob().nullable(),
    created: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
});

/** Keys whose requests are being worked on. Columns only. */
import { defineEntity, p } from '@mikro-orm/core';

export const IdempotencyClaimEntity = defineEntity({
  name: 'IdempotencyClaim',
  tableName: 'idempotency_claim',
  properties: {
    accountId: p.bigint('number').primary(),
    key: p.string().length(255).primary(),
    coordinatorId: p.text(),
    expires: p.datetime().columnType('timestamptz'),
  },
});

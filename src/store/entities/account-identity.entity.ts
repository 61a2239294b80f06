/** Accounts at OpenID providers. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const AccountIdentityEntity = defineEntity({
  name: 'AccountIdentity',
  tableName: 'account_identity',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    accountId: p.bigint('number'),
    issuer: p.string().length(500),
    subject: p.string().length(255),
    created: p.datetime().columnType('timestamptz'),
  },
});

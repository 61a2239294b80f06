/** Tokens of accounts, by their hashes. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const AccessTokenEntity = defineEntity({
  name: 'AccessToken',
  tableName: 'access_token',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    accountId: p.bigint('number'),
    name: p.string().length(100),
    tokenHash: p.blob(),
    scope: p.text(),
    created: p.datetime().columnType('timestamptz'),
    expires: p.datetime().columnType('timestamptz').nullable(),
    revoked: p.datetime().columnType('timestamptz').nullable(),
    lastUsed: p.datetime().columnType('timestamptz').nullable(),
  },
});

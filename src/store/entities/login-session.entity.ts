/** Sessions of browsers, by their hashes. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const LoginSessionEntity = defineEntity({
  name: 'LoginSession',
  tableName: 'login_session',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    accountId: p.bigint('number'),
    sessionHash: p.blob(),
    csrfHash: p.blob(),
    address: p.string().length(45),
    created: p.datetime().columnType('timestamptz'),
    expires: p.datetime().columnType('timestamptz'),
    lastSeen: p.datetime().columnType('timestamptz'),
  },
});

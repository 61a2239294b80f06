/** The trail of writes through the interface. Columns only: indexes and checks are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    at: p.datetime().columnType('timestamptz'),
    accountId: p.bigint('number').nullable(),
    username: p.string().length(150),
    knownBy: p.text(),
    tokenId: p.bigint('number').nullable(),
    address: p.string().length(45),
    requestId: p.string().length(100),
    method: p.string().length(10),
    route: p.string().length(200),
    path: p.string().length(1000),
    recordId: p.bigint('number').nullable(),
    status: p.smallint().nullable(),
  },
});

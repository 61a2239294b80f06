import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant } from '../sql/columns.ts';

/** The audit of calls that change something. */
export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit',
  properties: {
    id: identity(),
    at: instant(),
    accountId: bigint().nullable(),
    username: p.string().length(150),
    knownBy: p.text(),
    tokenId: bigint().nullable(),
    address: p.string().length(45),
    requestId: p.string().length(100),
    method: p.string().length(10),
    route: p.string().length(200),
    path: p.string().length(1000),
    recordId: bigint().nullable(),
    status: p.smallint().nullable(),
  },
});

/**
 * Who holds each shard of actors, at which epoch. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const ShardLeaseEntity = defineEntity({
  name: 'ShardLease',
  tableName: 'shard_lease',
  properties: {
    shard: p.smallint().primary().autoincrement(false),
    owner: p.text().nullable(),
    epoch: p.bigint('number').defaultRaw('0'),
    expires: p.datetime().columnType('timestamptz').defaultRaw(`'-infinity'`),
  },
});

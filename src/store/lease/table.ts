import { defineEntity, p } from '@mikro-orm/core';
import { bigint, instant } from '../sql/columns.ts';

/** The holder and epoch of each shard. */
export const ShardLeaseEntity = defineEntity({
  name: 'ShardLease',
  tableName: 'shard_lease',
  properties: {
    shard: p.smallint().primary().autoincrement(false),
    owner: p.text().nullable(),
    epoch: bigint().defaultRaw('0'),
    expires: instant().defaultRaw(`'-infinity'`),
  },
});

import { defineEntity, p } from '@mikro-orm/core';
import { bigint, instant } from '../sql/columns.ts';
import type { DeletableKind } from './kinds.ts';

/** Deletions that have hidden their record and may yet remove it. */
export const DeletionUnderWayEntity = defineEntity({
  name: 'DeletionUnderWay',
  tableName: 'deletion_under_way',
  properties: {
    kind: p.text().$type<DeletableKind>().primary(),
    recordId: bigint().primary(),
    begun: instant(),
  },
});

import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Filters of the console's lists that people have saved for themselves. */
export const SavedFilterEntity = defineEntity({
  name: 'SavedFilter',
  tableName: 'saved_filter',
  properties: {
    id: identity(),
    accountId: bigint(),
    list: p.string().length(50),
    title: p.string().length(100),
    search: p.string().length(4_000),
    created: instant(),
  },
});

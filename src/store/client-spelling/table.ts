import { defineEntity, p } from '@mikro-orm/core';
import { bigint } from '../sql/columns.ts';

/** The spelling that clients of the public system used for a record. */
export const ClientSpellingEntity = defineEntity({
  name: 'ClientSpelling',
  tableName: 'client_spelling',
  properties: {
    kind: p.string().length(20).primary(),
    recordId: bigint().primary(),
  },
});

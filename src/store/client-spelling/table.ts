import { defineEntity, p } from '@mikro-orm/core';
import { bigint } from '../sql/columns.ts';

/** Records that clients of the public system have last sent with the type `objstore`. */
export const ClientSpellingEntity = defineEntity({
  name: 'ClientSpelling',
  tableName: 'client_spelling',
  properties: {
    kind: p.string().length(20).primary(),
    recordId: bigint().primary(),
  },
});

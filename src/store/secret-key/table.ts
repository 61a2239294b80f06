import { defineEntity, p } from '@mikro-orm/core';
import { instant, texts } from '../sql/columns.ts';

/** Ids of encryption keys. */
export const SecretKeyEntity = defineEntity({
  name: 'SecretKey',
  tableName: 'secret_key',
  properties: {
    id: p.string().length(10).primary(),
    isCurrent: p.boolean(),
    created: instant(),
    began: instant(),
    completed: instant().nullable(),
  },
});

/** The keys of each coordinator. */
export const SecretKeyHolderEntity = defineEntity({
  name: 'SecretKeyHolder',
  tableName: 'secret_key_holder',
  properties: {
    coordinatorId: p.text().primary(),
    keyIds: texts(),
    currentId: p.string().length(10),
    reported: instant(),
  },
});

/** Which coordinator has which keys. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const SecretKeyHolderEntity = defineEntity({
  name: 'SecretKeyHolder',
  tableName: 'secret_key_holder',
  properties: {
    coordinatorId: p.text().primary(),
    keyIds: p.array().columnType('text[]'),
    currentId: p.string().length(10),
    reported: p.datetime().columnType('timestamptz'),
  },
});

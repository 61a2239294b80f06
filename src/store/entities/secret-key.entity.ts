/** Ids of keys that secrets are sealed under. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const SecretKeyEntity = defineEntity({
  name: 'SecretKey',
  tableName: 'secret_key',
  properties: {
    id: p.string().length(10).primary(),
    isCurrent: p.boolean(),
    created: p.datetime().columnType('timestamptz'),
    began: p.datetime().columnType('timestamptz'),
    completed: p.datetime().columnType('timestamptz').nullable(),
  },
});

/**
 * Recipe types that a request raises. Columns only: indexes, checks and foreign keys are the migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';

export const TypeUpdateMemberEntity = defineEntity({
  name: 'TypeUpdateMember',
  tableName: 'type_update_member',
  properties: {
    updateId: p.bigint('number').primary(),
    recipeTypeId: p.bigint('number').primary(),
    level: p.integer(),
    state: p.text().default('waiting'),
    revisionNum: p.integer().nullable(),
    reason: p.text().nullable(),
  },
});

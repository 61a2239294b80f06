import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Requests to update the recipe types above a new revision, with their progress. */
export const TypeUpdateEntity = defineEntity({
  name: 'TypeUpdate',
  tableName: 'type_update',
  properties: {
    id: identity(),
    kind: p.text(),
    typeId: bigint(),
    revisionNum: p.integer(),
    raisedCount: p.integer().default(0),
    unchangedCount: p.integer().default(0),
    behindCount: p.integer().default(0),
    total: p.integer(),
    created: instant(),
    completed: instant().nullable(),
    lastModified: instant(),
  },
});

/** Recipe types that a request updates. */
export const TypeUpdateMemberEntity = defineEntity({
  name: 'TypeUpdateMember',
  tableName: 'type_update_member',
  properties: {
    updateId: bigint().primary(),
    recipeTypeId: bigint().primary(),
    level: p.integer(),
    state: p.text().default('waiting'),
    revisionNum: p.integer().nullable(),
    reason: p.text().nullable(),
  },
});

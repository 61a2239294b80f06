import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant } from '../sql/columns.ts';

/** What people have noted about the failures of a job type with an error. */
export const FailureNoteEntity = defineEntity({
  name: 'FailureNote',
  tableName: 'failure_note',
  properties: {
    id: identity(),
    jobTypeId: bigint(),
    errorId: bigint(),
    isKnown: p.boolean(),
    note: p.string().length(1_000).default(''),
    username: p.string().length(150),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
  },
});

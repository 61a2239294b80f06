/** Content that was purged. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const TombstoneEntity = defineEntity({
  name: 'Tombstone',
  tableName: 'tombstone',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    purgeId: p.bigint('number'),
    workspaceId: p.bigint('number'),
    filePath: p.string().length(1000),
    arrival: p.text().nullable(),
    fileSize: p.bigint('number'),
    mtimeMs: p.double().nullable(),
    sha256: p.text().nullable(),
    created: p.datetime().columnType('timestamptz'),
  },
});

import { defineEntity, p } from '@mikro-orm/core';
import { bigint, type Document, identity, instant } from '../columns.ts';

/** Strikes. Written by the strike's actor. */
export const StrikeEntity = defineEntity({
  name: 'Strike',
  tableName: 'strike',
  properties: {
    id: identity(),
    shard: p.smallint(),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.text().default(''),
    configuration: p.json<Document>(),
    workspaceId: bigint(),
    isPaused: p.boolean().default(false),
    jobId: bigint(),
    deferredCursor: bigint().nullable(),
    listing: p.json<Document>().nullable(),
    created: instant(),
    lastModified: instant(),
  },
});

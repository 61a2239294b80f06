/**
 * Strikes. Written by the strike's actor. Columns only: indexes, checks and foreign keys are the
 * migrations'.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const StrikeEntity = defineEntity({
  name: 'Strike',
  tableName: 'strike',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    shard: p.smallint(),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.text().default(''),
    configuration: p.json<JsonColumn>(),
    workspaceId: p.bigint('number'),
    isPaused: p.boolean().default(false),
    jobId: p.bigint('number'),
    deferredCursor: p.bigint('number').nullable(),
    listing: p.json<JsonColumn>().nullable(),
    created: p.datetime().columnType('timestamptz'),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

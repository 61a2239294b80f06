import { defineEntity, p } from '@mikro-orm/core';
import type { Labels } from '../../domain/labels.ts';
import type { ListingMark } from '../../domain/strike/strike.ts';
import type { StrikeConfiguration } from '../../domain/strike/strike-config.ts';
import { bigint, identity, instant } from '../sql/columns.ts';

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
    configuration: p.json<StrikeConfiguration>(),
    workspaceId: bigint(),
    isPaused: p.boolean().default(false),
    jobId: bigint(),
    deferredCursor: bigint().nullable(),
    listing: p.json<ListingMark>().nullable(),
    created: instant(),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
    deleted: instant().nullable(),
    labels: p.json<Labels>().defaultRaw(`'{}'`),
  },
});

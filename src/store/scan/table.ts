import { defineEntity, p } from '@mikro-orm/core';
import type { Labels } from '../../domain/labels.ts';
import type { ScanCounts, ScanMode } from '../../domain/scan/scan.ts';
import type { ScanConfiguration } from '../../domain/scan/scan-config.ts';
import { bigint, identity, instant } from '../sql/columns.ts';

/** Scans. Written by the scan's actor. */
export const ScanEntity = defineEntity({
  name: 'Scan',
  tableName: 'scan',
  properties: {
    id: identity(),
    shard: p.smallint(),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.text().default(''),
    configuration: p.json<ScanConfiguration>(),
    workspaceId: bigint(),
    jobId: bigint(),
    dryRunJobId: bigint(),
    run: p.text().$type<ScanMode>().nullable(),
    cursor: p.string().length(1000).default(''),
    counts: p.json<ScanCounts>().nullable(),
    previousCounts: p.json<ScanCounts>().nullable(),
    cancelThrough: bigint().nullable(),
    reason: p.text().nullable(),
    created: instant(),
    lastModified: instant(),
    waiting: p.json<readonly ScanMode[]>().defaultRaw(`'[]'`),
    objectVersion: p.integer().default(1),
    deleted: instant().nullable(),
    labels: p.json<Labels>().defaultRaw(`'{}'`),
  },
});

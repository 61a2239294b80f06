import { defineEntity, p } from '@mikro-orm/core';
import type { Labels } from '../../domain/labels.ts';
import { bigint, identity, instant, type JsonObject } from '../sql/columns.ts';

/** Workspaces: the places of files. */
export const WorkspaceEntity = defineEntity({
  name: 'Workspace',
  tableName: 'workspace',
  properties: {
    id: identity(),
    uuid: p.uuid(),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.string().length(500).default(''),
    baseUrl: p.text().nullable(),
    isActive: p.boolean().default(true),
    configuration: p.json<JsonObject>(),
    claimedNodeId: bigint().nullable(),
    created: instant(),
    deprecated: instant().nullable(),
    lastModified: instant(),
    objectVersion: p.integer().default(1),
    deleted: instant().nullable(),
    labels: p.json<Labels>().defaultRaw(`'{}'`),
  },
});

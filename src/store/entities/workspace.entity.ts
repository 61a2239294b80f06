/** Where files live. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';
import type { JsonColumn } from './json-column.ts';

export const WorkspaceEntity = defineEntity({
  name: 'Workspace',
  tableName: 'workspace',
  properties: {
    id: p.bigint('number').primary().generated('by default as identity'),
    uuid: p.uuid(),
    name: p.string().length(50),
    title: p.string().length(50),
    description: p.string().length(500).default(''),
    baseUrl: p.text().nullable(),
    isActive: p.boolean().default(true),
    configuration: p.json<JsonColumn>(),
    claimedNodeId: p.bigint('number').nullable(),
    created: p.datetime().columnType('timestamptz'),
    deprecated: p.datetime().columnType('timestamptz').nullable(),
    lastModified: p.datetime().columnType('timestamptz'),
  },
});

/** Writes of workspaces. They have no actor: each write is one transaction. */

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import { AppError } from '../../domain/errors.ts';
import type { Labels } from '../../domain/labels.ts';
import type { WorkspaceConfiguration } from '../../domain/workspace/workspace-config.ts';
import { type AlsoSave, creating, reviving } from '../catalog/creating.ts';
import { insertNamed } from '../catalog/unique-name.ts';
import { inEntities } from '../sql/entities.ts';
import type { Sql } from '../sql/sql.ts';
import { WorkspaceEntity } from './table.ts';

export interface NewWorkspace {
  /** Absent: from the title. */
  readonly name?: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly baseUrl: string | null;
  readonly isActive: boolean;
  readonly configuration: WorkspaceConfiguration;
  readonly labels?: Labels;
  readonly nowMs: number;
}

/** Absent fields do not change; `baseUrl` null clears it. */
export interface WorkspaceEdit {
  readonly title?: string;
  readonly description?: string;
  readonly baseUrl?: string | null;
  readonly isActive?: boolean;
  readonly configuration?: WorkspaceConfiguration;
  readonly labels?: Labels;
  readonly nowMs: number;
}

/** Resolves with its id. */
export function createWorkspace(sql: Sql, workspace: NewWorkspace, also?: AlsoSave<number>): Promise<number> {
  const { nowMs, name: chosen, ...fields } = workspace;
  const instants = { created: nowMs, deprecated: fields.isActive ? null : nowMs, lastModified: nowMs };
  return insertNamed({
    ...{ name: chosen, title: fields.title },
    stem: 'workspace',
    constraint: 'workspace_name_key',
    insert: (name) =>
      creating(sql, also, async (inside) => {
        const made = await inEntities(inside, async (manager) =>
          manager.create(WorkspaceEntity, { ...fields, ...instants, name, uuid: randomUUID() }),
        );
        return made.id;
      }),
    revive: (name) => reviving(sql, also, (tx) => reviveWorkspace(tx, name, { ...fields, ...instants })),
  });
}

/** Undefined: no deleted workspace has the name. */
function reviveWorkspace(
  sql: Sql,
  name: string,
  fields: Omit<NewWorkspace, 'nowMs' | 'name'> & {
    readonly deprecated: number | null;
    readonly lastModified: number;
  },
): Promise<number | undefined> {
  return inEntities(sql, async (manager) => {
    const workspace = await manager.findOne(
      WorkspaceEntity,
      { name, deleted: { $ne: null } },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (workspace === null) return undefined;
    if (!isDeepStrictEqual(fields.configuration.broker, workspace.configuration.broker))
      workspace.claimedNodeId = null;
    const {
      deprecated,
      lastModified,
      title,
      description,
      baseUrl,
      isActive,
      configuration,
      labels = {},
    } = fields;
    const values = { deprecated, lastModified, title, description, baseUrl, isActive, configuration, labels };
    manager.assign(workspace, { ...values, deleted: null }, { mergeObjectProperties: false });
    return workspace.id;
  });
}

/** Throws NOT_FOUND. */
export function editWorkspace(sql: Sql, id: number, edit: WorkspaceEdit): Promise<void> {
  return inEntities(sql, async (manager) => {
    const workspace = await manager.findOne(
      WorkspaceEntity,
      { id, deleted: null },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (workspace === null) throw new AppError('NOT_FOUND', `there is no workspace ${id}`);
    const { nowMs, ...fields } = edit;
    // A changed directory or bucket is another place: a node that reaches it must claim it again.
    const { configuration = workspace.configuration } = fields;
    const isMoved = !isDeepStrictEqual(configuration.broker, workspace.configuration.broker);
    if (isMoved) workspace.claimedNodeId = null;
    if (fields.isActive !== undefined && fields.isActive !== workspace.isActive) {
      workspace.deprecated = fields.isActive ? null : nowMs;
    }
    manager.assign(workspace, { ...fields, lastModified: nowMs }, { mergeObjectProperties: false });
  });
}

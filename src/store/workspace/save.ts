/** Writes of workspaces. They have no actor: each write is one transaction. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { type AlsoSave, creating } from '../catalog/creating.ts';
import { insertNamed } from '../catalog/unique-name.ts';
import type { Sql } from '../sql/sql.ts';

export interface NewWorkspace {
  readonly title: string;
  readonly description: string;
  readonly baseUrl: string | null;
  readonly isActive: boolean;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
}

/** Absent fields stay; `baseUrl` null clears it. */
export interface WorkspaceEdit {
  readonly title?: string;
  readonly description?: string;
  readonly baseUrl?: string | null;
  readonly isActive?: boolean;
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
}

const INSERT = /* sql */ `
  insert into workspace (uuid, name, title, description, base_url, is_active, configuration, created, deprecated,
    last_modified)
  select $1, $2, $3, $4, $5, $6, $7, at, case when $6 then null else at end, at
  from to_timestamp($8 / 1000.0) as at
  returning id`;

/** Resolves with its id. */
export function createWorkspace(sql: Sql, workspace: NewWorkspace, also?: AlsoSave<number>): Promise<number> {
  const { title, description, baseUrl, isActive, configuration, nowMs } = workspace;
  return insertNamed({
    title,
    stem: 'workspace',
    constraint: 'workspace_name_key',
    async insert(name) {
      const values = [
        randomUUID(),
        name,
        title,
        description,
        baseUrl,
        isActive,
        JSON.stringify(configuration),
        nowMs,
      ];
      return creating(sql, also, async (inside) => {
        const [row] = await inside.execute<{ id: number }>(INSERT, values);
        return (row as { id: number }).id;
      });
    },
  });
}

// A changed directory or bucket is another place: whoever reaches it must claim it anew.
const UPDATE = /* sql */ `
  update workspace set
    title = coalesce($2, title),
    description = coalesce($3, description),
    base_url = case when $4 then $5 else base_url end,
    is_active = coalesce($6, is_active),
    deprecated = case when $6 is null or $6 = is_active then deprecated when $6 then null else at end,
    configuration = coalesce($7, configuration),
    claimed_node_id = case when $7::jsonb->'broker' is distinct from configuration->'broker' and $7 is not null
      then null else claimed_node_id end,
    last_modified = at
  from to_timestamp($8 / 1000.0) as at
  where id = $1
  returning id`;

/** Throws NOT_FOUND. */
export async function editWorkspace(sql: Sql, id: number, edit: WorkspaceEdit): Promise<void> {
  const rows = await sql.execute(UPDATE, [
    id,
    edit.title ?? null,
    edit.description ?? null,
    edit.baseUrl !== undefined,
    edit.baseUrl ?? null,
    edit.isActive ?? null,
    edit.configuration === undefined ? null : JSON.stringify(edit.configuration),
    edit.nowMs,
  ]);
  if (rows.length === 0) throw new AppError('NOT_FOUND', `there is no workspace ${id}`);
}

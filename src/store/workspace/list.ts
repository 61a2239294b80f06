/** Workspaces: lists, and their records inside others. A catalog table: small. */
import type { Labels, LabelTerm } from '../../domain/labels.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import type { NamedBroker } from '../../domain/workspace/overlap.ts';
import type { WorkspaceConfiguration } from '../../domain/workspace/workspace-config.ts';
import { isReached, unreachedText } from '../node/reach.ts';
import { expression, nestedOrder, object, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

export interface WorkspaceFilter {
  readonly range: MsRange;
  readonly name: readonly string[];
  readonly id: readonly number[];
  readonly keyword: readonly string[];
  readonly is_active: boolean | undefined;
  readonly label: readonly LabelTerm[];
}

const INSTANTS = ['created', 'deprecated', 'last_modified'] as const;

function fieldsOf(alias: string) {
  const workspace = row('workspace', alias);
  return {
    ...workspace.columns('id', 'name', 'title', 'description', 'base_url', 'is_active'),
    ...workspace.instants(...INSTANTS),
  };
}

/** `workspace` inside other records, as lists show it. */
export function workspaceSummary(alias: string) {
  return object(fieldsOf(alias));
}

/** The same with its configuration as `json_config`; the caller masks the secrets. */
export function workspaceWithConfiguration(alias: string) {
  return object({
    ...fieldsOf(alias),
    json_config: row('workspace', alias).document<WorkspaceConfiguration>('configuration'),
  });
}

function orderOf(alias: string) {
  const workspace = row('workspace', alias);
  return {
    ...workspace.order('is_active', ...INSTANTS),
    ...workspace.textOrder('name', 'title', 'description', 'base_url'),
  };
}

export function workspaceOrder<Prefix extends string>(
  prefix: Prefix,
  key: string,
  alias: string,
  join: string,
) {
  return nestedOrder(prefix, key, join, orderOf(alias));
}

/** `workspace` of stored files. */
export function workspaceRef(alias: string) {
  return object(row('workspace', alias).columns('id', 'name'));
}

const w = row('workspace', 'w');
const VERSIONED = {
  ...fieldsOf('w'),
  ...w.columns('object_version'),
  labels: w.document<Labels>('labels'),
};
const WORKSPACES = { rows: w, fields: VERSIONED, order: { ...w.order('id'), ...orderOf('w') } };

export const listWorkspaces = listOf(WORKSPACES, (where, filter: WorkspaceFilter) => {
  where.add('w.deleted is null');
  where.range(filter.range, 'w.last_modified');
  where.anyOf('w.name', 'text', filter.name);
  where.anyOf('w.id', 'bigint', filter.id);
  where.like(['w.name', 'w.title', 'w.description'], filter.keyword);
  where.flag('w.is_active', filter.is_active);
  where.labels('w.labels', filter.label);
});

/** Why no node reaches it; null while a node does, or while it is not active. */
const UNREACHED = expression<string | null>(`case when w.is_active and not ${isReached('w.id')}
  then ${unreachedText('array[w.id]', 'no node reaches it', 'it')} end`);

const DETAILS = object({
  ...VERSIONED,
  reason: UNREACHED,
  configuration: w.document<WorkspaceConfiguration>('configuration'),
});

const UNREACHED_FIELDS = { ...w.columns('id', 'name', 'title'), reason: UNREACHED };

/** Active workspaces that no connected node reaches, and why. */
export const listUnreached = listOf(
  { rows: w, fields: UNREACHED_FIELDS, order: { ...w.order('id'), ...w.textOrder('name') } },
  (where) => {
    where.add(`w.deleted is null and w.is_active and not ${isReached('w.id')}`);
  },
);

/** With its configuration as stored. Undefined if there is no such workspace. */
export function findWorkspace(sql: Sql, id: number) {
  return findRecord(sql, DETAILS, 'workspace w where w.id = $1 and w.deleted is null', [id]);
}

/** A workspace for rules and validations. */
export interface NamedWorkspace {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly configuration: WorkspaceConfiguration;
  /** Whether a connected agent reaches it. */
  readonly isReached: boolean;
}

/** Those of the names that exist. */
export async function namedWorkspaces(
  sql: Sql,
  names: readonly string[],
): Promise<ReadonlyMap<string, NamedWorkspace>> {
  const rows = await sql.execute<NamedWorkspace>(
    `select w.id, w.uuid, w.name, w.is_active as "isActive", w.configuration, ${isReached('w.id')} as "isReached"
     from workspace w where w.name = any($1::text[]) and w.deleted is null`,
    [names],
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/** The places of the files of all active workspaces, without credentials. */
export function workspaceBrokers(sql: Sql): Promise<readonly NamedBroker[]> {
  return sql.execute<NamedBroker>(
    `select name, (configuration->'broker') - 'credentials' as broker from workspace where is_active order by id`,
  );
}

/** limit: files that are counted, so that the count does not grow with history. */
export const COUNTED_FILES_MAX = 100_000;

/** The number of stored files of a workspace, up to one more than the limit. Relies on file_path_key. */
export async function countFilesIn(sql: Sql, workspaceId: number): Promise<number> {
  const [row] = await sql.execute<{ count: number }>(
    `select count(*)::int as count from (
       select from file where workspace_id = $1 and not is_deleted limit ${COUNTED_FILES_MAX + 1}) as counted`,
    [workspaceId],
  );
  return row?.count ?? 0;
}

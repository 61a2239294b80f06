/** Workspaces: lists, and their records inside others. A catalog table: small. */
import type { NamedBroker } from '../../domain/workspace/overlap.ts';
import { isReached, unreachedText } from '../node/reach.ts';
import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type MsRange,
  type OrderKey,
  type PageBounds,
  plainOrder,
  textOrder,
} from '../sql/listing.ts';
import { columns, instants, object, objectIf } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';

export interface WorkspaceFilter {
  readonly range: MsRange;
  readonly name: readonly string[];
}

const NAMES = ['id', 'name', 'title', 'description', 'base_url', 'is_active'];
const INSTANTS = ['created', 'deprecated', 'last_modified'];

function fieldsOf(alias: string): Record<string, string> {
  return { ...columns(alias, NAMES), ...instants(alias, INSTANTS) };
}

/** `workspace` inside other records, as lists show it. */
export function workspaceSummary(alias: string): string {
  return objectIf(`${alias}.id`, fieldsOf(alias));
}

/** The same with its configuration as `json_config`; the caller masks the secrets. */
export function workspaceWithConfiguration(alias: string): string {
  return objectIf(`${alias}.id`, { ...fieldsOf(alias), json_config: `${alias}.configuration` });
}

/** `workspace` of stored files. */
export function workspaceRef(alias: string): string {
  return objectIf(`${alias}.id`, columns(alias, ['id', 'name']));
}

const WORKSPACES: ListShape = {
  from: 'workspace w',
  id: 'w.id',
  joins: '',
  record: workspaceSummary('w'),
  order: {
    ...plainOrder('w', ['id', 'is_active', ...INSTANTS]),
    ...textOrder('w', ['name', 'title', 'description', 'base_url']),
  },
};
export function listWorkspaces<R extends object>(
  sql: Sql,
  filter: WorkspaceFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'w.last_modified');
  conditions.anyOf('w.name', 'text', filter.name);
  return listRecords(sql, WORKSPACES, conditions, order, page);
}

/** Null while some node reaches it, or while it is not active. */
const UNREACHED = `case when w.is_active and not ${isReached('w.id')}
  then ${unreachedText('array[w.id]', 'no node reaches it', 'it')} end`;

/** With its configuration as stored. Undefined if there is no such workspace. */
export async function findWorkspace<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const record = object({ ...fieldsOf('w'), reason: UNREACHED, configuration: 'w.configuration' });
  const rows = await sql.execute<{ record: R }>(
    `select ${record} as record from workspace w where w.id = $1`,
    [id],
  );
  return rows[0]?.record;
}

/** A workspace for rules and validations. */
export interface NamedWorkspace {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly configuration: Readonly<Record<string, unknown>>;
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
     from workspace w where w.name = any($1::text[])`,
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

/** Read models of purges. */

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
import { columns, instants, object } from '../sql/records.ts';
import type { Sql } from '../sql/sql.ts';
import { workspaceRef } from '../workspace/list.ts';

const STATUS = `case when p.phase = 'done' then 'COMPLETED' when p.reason is null then 'RUNNING' else 'WAITING' end`;

/** By workspace, in the order of their ids. */
const WORKSPACES = /* sql */ `(
  select coalesce(json_agg(json_build_object('id', w.id, 'name', w.name, 'files_removed', t.value -> 'removed',
    'files_absent', t.value -> 'absent', 'files_kept', t.value -> 'kept', 'files_failed', t.value -> 'failed',
    'bytes_removed', t.value -> 'bytes') order by w.id), '[]')
  from jsonb_each(p.workspaces) as t join workspace w on w.id = t.key::bigint)`;

const RECORD = object({
  id: 'p.id',
  status: STATUS,
  ...columns('p', ['phase', 'reason', 'file_id', 'file_name', 'file_path', 'file_size']),
  workspace: workspaceRef('w'),
  delete_source_bytes: 'p.deletes_source_bytes',
  removed: 'p.removed',
  workspaces: WORKSPACES,
  problems: 'p.problems',
  ...instants('p', ['created', 'completed', 'last_modified']),
});

const PURGES: ListShape = {
  from: 'purge p',
  id: 'p.id',
  joins: 'join workspace w on w.id = p.workspace_id',
  record: RECORD,
  order: {
    ...plainOrder('p', ['id', 'file_id', 'file_size', 'phase', 'created', 'completed', 'last_modified']),
    ...textOrder('p', ['file_name', 'file_path']),
  },
};

export interface PurgeFilter {
  readonly range: MsRange;
  readonly file_id: readonly number[];
  readonly is_completed: boolean | undefined;
}

export function listPurges<R extends object>(
  sql: Sql,
  filter: PurgeFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'p.last_modified');
  conditions.anyOf('p.file_id', 'bigint', filter.file_id);
  conditions.flag(`(p.phase = 'done')`, filter.is_completed);
  return listRecords(sql, PURGES, conditions, order, page);
}

/** Undefined if there is no such purge. */
export async function findPurge<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const [row] = await sql.execute<{ record: R }>(
    `select ${RECORD} as record from purge p ${PURGES.joins} where p.id = $1`,
    [id],
  );
  return row?.record;
}

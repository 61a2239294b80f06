/** Read models of purges. */

import type { MsRange } from '../../domain/listing/filters.ts';
import { expression, listIn, object, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';
import { workspaceRef } from '../workspace/list.ts';
import type { PurgePhase, PurgeProblem } from './table.ts';

const STATUS = expression<'RUNNING' | 'WAITING' | 'COMPLETED'>(
  `case when p.phase = 'done' then 'COMPLETED' when p.reason is null then 'RUNNING' else 'WAITING' end`,
);

const p = row('purge', 'p');
const w = row('workspace', 'w');
const counted = (name: string) => expression<number>(`t.value -> '${name}'`);

/** By workspace, in the order of their ids. */
const WORKSPACES = listIn(
  object({
    ...w.columns('id', 'name'),
    files_removed: counted('removed'),
    files_absent: counted('absent'),
    files_kept: counted('kept'),
    files_failed: counted('failed'),
    bytes_removed: counted('bytes'),
  }),
  'jsonb_each(p.workspaces) as t join workspace w on w.id = t.key::bigint',
  'w.id',
);

const FIELDS = {
  ...p.columns('id', 'object_version'),
  status: STATUS,
  phase: p.oneOf<PurgePhase>('phase'),
  ...p.columns('reason', 'file_id', 'file_name', 'file_path', 'file_size'),
  workspace: workspaceRef('w'),
  delete_source_bytes: p.column('deletes_source_bytes'),
  removed: p.document<Record<string, number>>('removed'),
  workspaces: WORKSPACES,
  problems: p.document<PurgeProblem[]>('problems'),
  ...p.instants('created', 'completed', 'last_modified'),
};

const PURGES = {
  rows: p,
  joins: 'join workspace w on w.id = p.workspace_id',
  fields: FIELDS,
  order: {
    ...p.order('id', 'file_id', 'file_size', 'phase', 'created', 'completed', 'last_modified'),
    ...p.textOrder('file_name', 'file_path'),
  },
};

export interface PurgeFilter {
  readonly range: MsRange;
  readonly file_id: readonly number[];
  readonly is_completed: boolean | undefined;
}

export const listPurges = listOf(PURGES, (where, filter: PurgeFilter) => {
  where.range(filter.range, 'p.last_modified');
  if (filter.file_id.length > 0) {
    const ids = `any(${where.param(filter.file_id)}::bigint[])`;
    where.add(`p.id in (select id from purge where file_id = ${ids}
      union all select purge_id from purged_product where file_id = ${ids})`);
  }
  where.flag(`(p.phase = 'done')`, filter.is_completed);
});

/** Undefined if there is no such purge. */
export function findPurge(sql: Sql, id: number) {
  return findRecord(sql, object(FIELDS), `purge p ${PURGES.joins} where p.id = $1`, [id]);
}

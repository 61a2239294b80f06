/** Read models of nodes. */

import type { MsRange } from '../../domain/listing/filters.ts';
import { object, row } from '../sql/fields.ts';
import { findRecord, listOf } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

export interface NodeFilter {
  readonly range: MsRange;
  readonly is_active: boolean | undefined;
  readonly is_paused: boolean | undefined;
}

const n = row('node', 'n');
const INSTANTS = ['deprecated', 'created', 'last_modified'] as const;
const FIELDS = {
  ...n.columns('id', 'object_version', 'hostname', 'pause_reason', 'is_paused', 'is_active'),
  executors: n.document<readonly string[]>('executors'),
  ...n.instants(...INSTANTS),
};
const order = {
  ...n.order('id', 'is_paused', 'is_active', ...INSTANTS),
  ...n.textOrder('hostname', 'pause_reason'),
};

export const listNodes = listOf({ rows: n, fields: FIELDS, order }, (where, filter: NodeFilter) => {
  where.range(filter.range, 'n.last_modified');
  where.flag('n.is_active', filter.is_active);
  where.flag('n.is_paused', filter.is_paused);
});

/** Undefined if there is no such node. */
export function findNode(sql: Sql, id: number) {
  return findRecord(sql, object(FIELDS), 'node n where n.id = $1', [id]);
}

/** Nodes with a connected agent: they are notified of changes. */
export interface OnlineNode {
  readonly id: number;
  readonly hostname: string;
}

/** Nodes that are online and active, with the lowest ids. */
export function onlineNodes(sql: Sql, atMost: number): Promise<readonly OnlineNode[]> {
  const text = 'select id, hostname from node where is_online and is_active order by id limit $1';
  return sql.execute<OnlineNode>(text, [atMost]);
}

export async function onlineNodeIds(sql: Sql): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>('select id from node where is_online order by id');
  return rows.map((row) => row.id);
}

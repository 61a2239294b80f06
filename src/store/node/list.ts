/** Read models of nodes. */

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

export interface NodeFilter {
  readonly range: MsRange;
  readonly is_active: boolean | undefined;
}

const INSTANTS = ['deprecated', 'created', 'last_modified'];
const RECORD = object({
  ...columns('n', ['id', 'hostname', 'pause_reason', 'is_paused', 'is_active']),
  ...instants('n', INSTANTS),
});

const NODES: ListShape = {
  from: 'node n',
  id: 'n.id',
  joins: '',
  record: RECORD,
  order: {
    ...plainOrder('n', ['id', 'is_paused', 'is_active', ...INSTANTS]),
    ...textOrder('n', ['hostname', 'pause_reason']),
  },
};
export function listNodes<R extends object>(
  sql: Sql,
  filter: NodeFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'n.last_modified');
  conditions.flag('n.is_active', filter.is_active);
  return listRecords(sql, NODES, conditions, order, page);
}

/** Undefined if there is no such node. */
export async function findNode<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const rows = await sql.execute<{ record: R }>(`select ${RECORD} as record from node n where n.id = $1`, [
    id,
  ]);
  return rows[0]?.record;
}

/** Nodes with a connected agent, which are told of changes. */
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

/**
 * Wrong uses of lists that must not compile: a record that is not what its route declares, columns that a table does
 * not have, fields that nothing sorts by. `npm run types` reads this file: where one of them compiles after all, its
 * `@ts-expect-error` is an error. Nothing here runs.
 */
import { Type } from '@sinclair/typebox';
import { defineList, type Listed } from '../../src/http/list.ts';
import { orderBy, scalarFields } from '../../src/http/request/ordering.ts';
import type { Paging } from '../../src/http/request/paging.ts';
import { flag, type QueryValues } from '../../src/http/request/parameters.ts';
import { id, instant, orNull } from '../../src/http/schema.ts';
import { listNodes } from '../../src/store/node/list.ts';
import {
  type expression,
  type Fields,
  iso,
  listIn,
  nestedOrder,
  object,
  orNull as orNullIn,
  row,
} from '../../src/store/sql/fields.ts';
import { findRecord, listOf } from '../../src/store/sql/listing.ts';
import type { Sql } from '../../src/store/sql/sql.ts';

declare const sql: Sql;

const n = row('node', 'n');
const j = row('job', 'j');
const Host = Type.Object({ id: id(), hostname: Type.String(), deprecated: orNull(instant()) });
const filters = { is_active: flag('Active ones.') };
const order = orderBy(['hostname'], ['id']);
type Query = QueryValues<typeof filters & { order: typeof order }>;
type HostList = (
  filter: Pick<Query, 'is_active'>,
  order: Query['order'],
  page: Paging,
) => Promise<Listed<{ id: number; hostname: string; deprecated: string | null }>>;

const fields = { ...n.columns('id', 'hostname'), ...n.instants('deprecated') };
const all = () => undefined;
const listed = <F extends Fields>(read: F) =>
  listOf({ rows: n, fields: read, order: n.order('id', 'hostname') }, all);

export function columns(): void {
  // @ts-expect-error no such table
  row('nodes', 'n');
  // @ts-expect-error no such column
  n.columns('host_name');
  // @ts-expect-error properties of entities are not names of columns
  n.column('pauseReason');
  // @ts-expect-error an instant is a text in JSON: instants() writes it
  n.columns('created');
  // @ts-expect-error no instant
  n.instants('hostname');
  // @ts-expect-error only texts are sorted whatever their case
  n.textOrder('is_active');
  // @ts-expect-error a number is no document
  j.document('num_exes');
  // @ts-expect-error a text without its type: only expression() says what SQL gives
  object({ id: 'n.id' });
}

export const lists: readonly HostList[] = [
  (...asked) => listed(fields)(sql, ...asked),
  // @ts-expect-error fields that are not wanted are absent
  (...asked) => listed(fields)(sql, ...asked, new Set(['id'])),
  // @ts-expect-error the record has no deprecated
  (...asked) => listed(n.columns('id', 'hostname'))(sql, ...asked),
  // @ts-expect-error the host name may be null
  (...asked) => listed({ ...fields, hostname: n.column('pause_reason') })(sql, ...asked),
  // @ts-expect-error the id is a text
  (...asked) => listed({ ...fields, id: n.column('hostname') })(sql, ...asked),
  // @ts-expect-error an outer join may find nothing
  (...asked) => listed({ ...fields, id: orNullIn('n.id', n.column('id')) })(sql, ...asked),
  // @ts-expect-error nothing sorts by the host name
  (...asked) => listOf({ rows: n, fields, order: n.order('id') }, all)(sql, ...asked),
];

export async function reads(): Promise<void> {
  const page = { page: 1, pageSize: 1, offset: 0 };
  const range = { startedMs: undefined, endedMs: undefined };
  // @ts-expect-error a filter is missing
  await listNodes(sql, { range }, [], page);
  // @ts-expect-error nodes are not sorted by their version
  await listNodes(sql, { range, is_active: undefined }, [{ field: 'version', isDescending: false }], page);
  const found = await findRecord(sql, object(fields), 'node n', []);
  // @ts-expect-error there may be none
  found.hostname;
  // @ts-expect-error the record has no such field
  found?.pause_reason;
}

export const routes = [
  defineList({
    path: '/v6/hosts/',
    summary: 'Hosts',
    query: { ...filters, order },
    record: Host,
    records: ({ query }, { hosts }: { readonly hosts: HostList }) => hosts(query, query.order, query.paging),
  }),
  defineList({
    path: '/v6/hosts/',
    summary: 'Hosts',
    record: Host,
    // @ts-expect-error the records are not those of the route
    records: () => ({ count: 1, results: [{ id: 1, hostname: 'a' }] }),
  }),
  defineList({
    path: '/v6/hosts/',
    summary: 'Hosts',
    record: Host,
    // @ts-expect-error the query has no such filter
    records: ({ query }, hosts: HostList) => hosts({ is_active: query.is_active }, [], query.paging),
  }),
];

export function orders(): void {
  const Nested = Type.Object({ id: id(), host: Host, hosts: Type.Array(Host) });
  orderBy(scalarFields(Nested), ['host__hostname']);
  // @ts-expect-error a list has no order
  orderBy(scalarFields(Nested), ['hosts']);
  // @ts-expect-error no such field in the nested record
  orderBy(scalarFields(Nested), ['host__name']);
  const nested = nestedOrder('host', 'j.node_id', 'join node n on n.id = j.node_id', n.textOrder('hostname'));
  nested.host__hostname;
  nested.host__id;
  // @ts-expect-error the key is of the nested record
  nested.hostname;
}

// @ts-expect-error an instant is a text
export const moment: ReturnType<typeof expression<number>> = iso('n.created');
// @ts-expect-error a list of records is no record
export const record: ReturnType<typeof expression<{ id: number }>> = listIn(
  object(n.columns('id')),
  'node n',
  'n.id',
);

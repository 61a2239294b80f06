/** Read models of datasets and their members. */
import type { DatasetDefinition } from '../../domain/dataset/dataset.ts';
import { FILE_JOINS, FILE_RECORD } from '../file/list.ts';
import {
  Conditions,
  type Listed,
  type ListShape,
  listRecords,
  type MsRange,
  type OrderKey,
  type PageBounds,
  plainOrder,
  textOrEmptyOrder,
} from '../sql/listing.ts';
import { columns, instants, object, textsOrEmpty } from '../sql/records.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

export interface DatasetFilter {
  readonly range: MsRange;
  readonly dataset_id: readonly number[];
  readonly keyword: readonly string[];
}

// limit: members and files inside the record of a dataset; the list of members has the rest.
const INLINED_MAX = 10_000;

const HEAD = {
  id: 'd.id',
  ...textsOrEmpty('d', ['title', 'description']),
  definition: 'd.definition',
  ...instants('d', ['created']),
};
const MEMBER = object({
  ...columns('m', ['id']),
  ...instants('m', ['created']),
  ...columns('m', ['data', 'file_ids']),
});

const DATASETS: ListShape = {
  from: 'dataset d',
  id: 'd.id',
  joins: '',
  record: object({
    ...HEAD,
    files: 'd.file_count',
  }),
  order: {
    ...plainOrder('d', ['id', 'created']),
    ...textOrEmptyOrder('d', ['title', 'description']),
    files: { by: 'd.file_count' },
  },
};

export function listDatasets<R extends object>(
  sql: Sql,
  filter: DatasetFilter,
  order: readonly OrderKey[],
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.range(filter.range, 'd.created');
  conditions.anyOf('d.id', 'bigint', filter.dataset_id);
  conditions.like(['d.title', 'd.description'], filter.keyword);
  return listRecords(sql, DATASETS, conditions, order, page);
}

const DETAILS = object({
  ...HEAD,
  members: `(select coalesce(json_agg(one.record order by one.id), '[]') from (
    select m.id, ${MEMBER} as record from dataset_member m where m.dataset_id = d.id
    order by m.id limit ${INLINED_MAX}) as one)`,
  files: `(select coalesce(json_agg(one.record order by one.id), '[]') from (
    select link.id, json_build_object('id', link.id, 'parameter_name', link.parameter_name, 'scale_file',
      json_build_object('id', file.id, 'file_name', file.file_name, 'countries', file.countries)) as record
    from dataset_file link join file on file.id = link.file_id where link.dataset_id = d.id
    order by link.id limit ${INLINED_MAX}) as one)`,
});

/** Undefined if there is no such dataset. */
export async function findDataset<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const text = `select ${DETAILS} as record from dataset d where d.id = $1`;
  const rows = await sql.execute<{ record: R }>(text, [id]);
  return rows[0]?.record;
}

/** Undefined if there is no such dataset. */
export async function findDatasetDefinition(sql: Sql, id: number): Promise<DatasetDefinition | undefined> {
  const text = 'select definition from dataset where id = $1';
  const rows = await sql.execute<{ definition: DatasetDefinition }>(text, [id]);
  return rows[0]?.definition;
}

const MEMBERS: ListShape = {
  from: 'dataset_member m',
  id: 'm.id',
  joins: '',
  record: MEMBER,
  order: plainOrder('m', ['id']),
};

export function listMembers<R extends object>(
  sql: Sql,
  datasetId: number,
  page: PageBounds,
): Promise<Listed<R>> {
  const conditions = new Conditions();
  conditions.anyOf('m.dataset_id', 'bigint', [datasetId]);
  return listRecords(sql, MEMBERS, conditions, [{ field: 'id', isDescending: false }], page);
}

export async function membersOf<R extends object>(sql: Sql, ids: readonly number[]): Promise<readonly R[]> {
  const text = `select ${MEMBER} as record from dataset_member m where m.id = any($1::bigint[]) order by m.id`;
  const rows = await sql.execute<{ record: R }>(text, [idArray(ids)]);
  return rows.map((row) => row.record);
}

const MEMBER_DETAILS = object({
  ...columns('m', ['id']),
  ...instants('m', ['created']),
  ...columns('m', ['data', 'file_ids']),
  dataset: object({ id: 'm.dataset_id' }),
  files: `(select coalesce(json_agg(one.record order by one.id), '[]') from (
    select link.id, json_build_object('id', link.id, 'parameter_name', link.parameter_name, 'scale_file',
      ${FILE_RECORD}) as record
    from dataset_file link join file f on f.id = link.file_id ${FILE_JOINS}
    where link.dataset_id = m.dataset_id and link.file_id = any(m.file_ids)
    order by link.id limit ${INLINED_MAX}) as one)`,
});

/** Undefined if there is no such member. */
export async function findMember<R extends object>(sql: Sql, id: number): Promise<R | undefined> {
  const text = `select ${MEMBER_DETAILS} as record from dataset_member m where m.id = $1`;
  const rows = await sql.execute<{ record: R }>(text, [id]);
  return rows[0]?.record;
}

/** Read models of datasets and their members. */
import type { DatasetDefinition } from '../../domain/dataset/dataset.ts';
import type { DataDocument } from '../../domain/job/job.ts';
import type { MsRange } from '../../domain/listing/filters.ts';
import { FILE_JOINS, FILE_RECORD } from '../file/list.ts';
import { listIn, object, orderBy, row } from '../sql/fields.ts';
import { findRecord, listOf, type PageBounds, readRecords, type WantedFields } from '../sql/listing.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

export interface DatasetFilter {
  readonly range: MsRange;
  readonly dataset_id: readonly number[];
  readonly keyword: readonly string[];
}

// limit: members and files inside the record of a dataset; the list of members has the rest.
const INLINED_MAX = 10_000;

const d = row('dataset', 'd');
const m = row('dataset_member', 'm');
const link = row('dataset_file', 'link');
const file = row('file', 'file');

const HEAD = {
  ...d.columns('id', 'object_version'),
  ...d.textsOrEmpty('title', 'description'),
  definition: d.document<DatasetDefinition>('definition'),
  ...d.instants('created'),
};
const MEMBER_FIELDS = {
  ...m.columns('id'),
  ...m.instants('created'),
  data: m.document<DataDocument>('data'),
  ...m.columns('file_ids'),
};
const MEMBER = object(MEMBER_FIELDS);
const FILES = { files: d.column('file_count') };

const DATASETS = {
  rows: d,
  fields: { ...HEAD, ...FILES },
  order: {
    ...d.order('id', 'created'),
    ...d.textOrEmptyOrder('title', 'description'),
    ...orderBy(FILES),
  },
};

export const listDatasets = listOf(DATASETS, (where, filter: DatasetFilter) => {
  where.add('d.deleted is null');
  where.range(filter.range, 'd.created');
  where.anyOf('d.id', 'bigint', filter.dataset_id);
  where.like(['d.title', 'd.description'], filter.keyword);
});

const DETAILS = object({
  ...HEAD,
  members: listIn(MEMBER, 'dataset_member m where m.dataset_id = d.id', 'm.id', INLINED_MAX),
  files: listIn(
    object({
      ...link.columns('id', 'parameter_name'),
      scale_file: object(file.columns('id', 'file_name', 'countries')),
    }),
    'dataset_file link join file on file.id = link.file_id where link.dataset_id = d.id',
    'link.id',
    INLINED_MAX,
  ),
});

/** Undefined if there is no such dataset. */
export function findDataset(sql: Sql, id: number) {
  return findRecord(sql, DETAILS, 'dataset d where d.id = $1 and d.deleted is null', [id]);
}

/** Undefined if there is no such dataset. */
export async function findDatasetDefinition(sql: Sql, id: number): Promise<DatasetDefinition | undefined> {
  const text = 'select definition from dataset where id = $1 and deleted is null';
  const rows = await sql.execute<{ definition: DatasetDefinition }>(text, [id]);
  return rows[0]?.definition;
}

// limit: files of a member that are named in the list of members.
const NAMED_MAX = 20;
const NAMED = listIn(
  object(file.columns('id', 'file_name')),
  `file where file.id = any(m.file_ids[1:${NAMED_MAX}])`,
  'file.id',
);
const MEMBERS = { rows: m, fields: { ...MEMBER_FIELDS, first_files: NAMED }, order: m.order('id') };
const BY_ID = [{ field: 'id', isDescending: false }] as const;

const membersOfDataset = listOf(MEMBERS, (where, datasetId: number) => {
  where.anyOf('m.dataset_id', 'bigint', [datasetId]);
});

export function listMembers(sql: Sql, datasetId: number, page: PageBounds, wanted: WantedFields) {
  return membersOfDataset(sql, datasetId, BY_ID, page, wanted);
}

export function membersOf(sql: Sql, ids: readonly number[]) {
  const from = 'dataset_member m where m.id = any($1::bigint[]) order by m.id';
  return readRecords(sql, MEMBER, from, [idArray(ids)]);
}

const MEMBER_DETAILS = object({
  ...MEMBER_FIELDS,
  dataset: object({ id: m.column('dataset_id') }),
  files: listIn(
    object({ ...link.columns('id', 'parameter_name'), scale_file: FILE_RECORD }),
    `dataset_file link join file f on f.id = link.file_id ${FILE_JOINS}
     where link.dataset_id = m.dataset_id and link.file_id = any(m.file_ids)`,
    'link.id',
    INLINED_MAX,
  ),
});

const MEMBER_OF_DATASET = `dataset_member m where m.id = $1
  and exists (select from dataset d where d.id = m.dataset_id and d.deleted is null)`;

/** Undefined if there is no such member. */
export function findMember(sql: Sql, id: number) {
  return findRecord(sql, MEMBER_DETAILS, MEMBER_OF_DATASET, [id]);
}

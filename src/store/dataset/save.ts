/** Writes of datasets. They have no actor: a dataset or an addition to it is one transaction. */
import type { Data } from '../../domain/data/data.ts';
import { type DatasetDefinition, filesOf } from '../../domain/dataset/dataset.ts';
import { assert } from '../../lib/assert.ts';
import { holdMentioned } from '../deletion/kinds.ts';
import { planChecksOnce, type Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { DatasetFileEntity, DatasetMemberEntity } from './table.ts';

export interface NewDataset {
  readonly title: string;
  readonly description: string;
  readonly definition: DatasetDefinition;
  readonly members: readonly Data[];
  readonly nowMs: number;
}

const INSERT = /* sql */ `
  insert into dataset (title, description, definition, created)
  values ($1, $2, $3, to_timestamp($4::float8 / 1000)) returning id`;

/** Resolves with its id. */
export function createDataset(sql: Sql, dataset: NewDataset): Promise<number> {
  const { title, description, definition, members, nowMs } = dataset;
  return sql.transaction(async (inside) => {
    const values = [title, description, JSON.stringify(definition), nowMs];
    const [row] = await inside.execute<{ id: number }>(INSERT, values);
    assert(row !== undefined, 'an insert answers its row');
    await addMembers(inside, row.id, members, nowMs);
    return row.id;
  });
}

interface MemberRow {
  readonly datasetId: number;
  readonly place: number;
  readonly data: Data;
  readonly nowMs: number;
}

const MEMBERS = rowsOf(DatasetMemberEntity).from<MemberRow>(
  {
    datasetId: (row) => row.datasetId,
    data: (row) => row.data,
    fileIds: (row) => filesOf(row.data),
    created: (row) => row.nowMs,
  },
  [['place', 'int', (row) => row.place]],
);

const INSERT_MEMBERS = /* sql */ `
  insert into dataset_member (dataset_id, data, file_ids, created)
  select dataset_id, data, file_ids, created from ${MEMBERS.table('d')} order by place
  returning id`;

interface FileRow {
  readonly datasetId: number;
  readonly fileId: number;
  readonly name: string;
}

const FILES = rowsOf(DatasetFileEntity).from<FileRow>({
  datasetId: (row) => row.datasetId,
  fileId: (row) => row.fileId,
  parameterName: (row) => row.name,
});

/** A file is in a dataset once, under the parameter that it first came with. */
const INSERT_FILES = /* sql */ `
  insert into dataset_file (${FILES.names}) select * from ${FILES.table('d')}
  on conflict (dataset_id, file_id) do nothing`;

/** Resolves with the ids of the new members, in their order. Throws CONFLICT if the dataset is deleted. */
export function addMembers(
  sql: Sql,
  datasetId: number,
  members: readonly Data[],
  nowMs: number,
): Promise<readonly number[]> {
  if (members.length === 0) return Promise.resolve([]);
  return sql.transaction(async (inside) => {
    await holdMentioned(inside, { datasetIds: [datasetId] });
    const rows = members.map((data, place) => ({ datasetId, place, data, nowMs }));
    const made = await inside.execute<{ id: number }>(INSERT_MEMBERS, MEMBERS.params(rows));
    const files = new Map<number, FileRow>();
    for (const data of members) {
      for (const [name, ids] of Object.entries(data.files)) {
        for (const fileId of ids) if (!files.has(fileId)) files.set(fileId, { datasetId, fileId, name });
      }
    }
    // In a fixed order, so that two additions wait for each other instead of deadlocking.
    const sorted = [...files.values()].sort((a, b) => a.fileId - b.fileId);
    if (sorted.length > 0) {
      await planChecksOnce(inside);
      await inside.execute(INSERT_FILES, FILES.params(sorted));
    }
    return made.map((row) => row.id);
  });
}

/** Stored files as launches need them: their place, and their full record. */

import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { FILE_JOINS, FILE_RECORD } from './list.ts';

export interface FileRecord {
  readonly workspaceId: number;
  readonly filePath: string;
  readonly fileName: string;
  readonly size: number;
  readonly isSource: boolean;
  readonly isDeleted: boolean;
  /** The file's details in the form of the interface. */
  readonly record: Readonly<Record<string, unknown>>;
}

export type FileRecords = ReadonlyMap<number, FileRecord>;

/** The record of `/v6/files/{id}/`. Only a file in a workspace with a base URL has an address. */
const FILES = {
  name: 'file_records',
  isKeyed: true,
  text: /* sql */ `
    select f.id, f.workspace_id, f.file_path, f.file_name, f.file_size, f.file_type, f.is_deleted,
      f.meta_data, ${FILE_RECORD} as record
    from file f ${FILE_JOINS}
    where f.id = any($1::bigint[])`,
};

interface FileDbRow {
  readonly id: number;
  readonly workspace_id: number;
  readonly file_path: string;
  readonly file_name: string;
  readonly file_size: number;
  readonly file_type: string;
  readonly is_deleted: boolean;
  readonly meta_data: unknown;
  readonly record: Record<string, unknown>;
}

export async function readFileRecords(sql: Sql, fileIds: Iterable<number>): Promise<FileRecords> {
  const wanted = new Set(fileIds);
  if (wanted.size === 0) return new Map();
  const rows = await sql.execute<FileDbRow>(FILES, [idArray(wanted)]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        workspaceId: row.workspace_id,
        filePath: row.file_path,
        fileName: row.file_name,
        size: row.file_size,
        isSource: row.file_type === 'SOURCE',
        isDeleted: row.is_deleted,
        record: detailsOf(row),
      },
    ]),
  );
}

function detailsOf({ record, meta_data, file_path: path }: FileDbRow): Record<string, unknown> {
  const details = { ...record, meta_data };
  if (typeof record.url !== 'string') return details;
  const below = path.split('/').map(encodeURIComponent).join('/');
  return { ...details, url: `${record.url.replace(/\/+$/, '')}/${below}` };
}

/** Stored files as jobs are told of them: where they are, and their full record. */
import { idArray } from './rows.ts';
import type { Sql } from './sql.ts';

export interface FileRecord {
  readonly workspaceId: number;
  readonly filePath: string;
  readonly fileName: string;
  readonly size: number;
  readonly isSource: boolean;
  readonly isDeleted: boolean;
  /** The file's details, in the interface's words. */
  readonly record: Readonly<Record<string, unknown>>;
}

export type FileRecords = ReadonlyMap<number, FileRecord>;

const FILES = {
  name: 'file_records',
  text: /* sql */ `
    select file.id, file.workspace_id, file.file_path, file.file_name, file.file_size, file.file_type,
      file.is_deleted,
      to_jsonb(file) - '{workspace_id, job_id, job_exe_id, job_type_id, recipe_id, recipe_type_id, batch_id,
        is_published, sha256}'::text[]
      || jsonb_build_object(
        'workspace', jsonb_build_object('id', workspace.id, 'name', workspace.name),
        'job', case when file.job_id is not null then jsonb_build_object('id', file.job_id) end,
        'job_exe', case when file.job_exe_id is not null then jsonb_build_object('id', file.job_exe_id) end,
        'recipe', case when file.recipe_id is not null then jsonb_build_object('id', file.recipe_id) end,
        'batch', case when file.batch_id is not null then jsonb_build_object('id', file.batch_id) end
      ) as record
    from file join workspace on workspace.id = file.workspace_id
    where file.id = any($1::bigint[])`,
};

interface FileDbRow {
  readonly id: number;
  readonly workspace_id: number;
  readonly file_path: string;
  readonly file_name: string;
  readonly file_size: number;
  readonly file_type: string;
  readonly is_deleted: boolean;
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
        record: row.record,
      },
    ]),
  );
}

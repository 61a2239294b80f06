/** The facts about stored files that decisions need. */
import type { FileInfo } from '../../domain/file/file.ts';
import type { Sql } from '../sql/sql.ts';
import { isNoTrial } from '../sql/trials.ts';

const FILE_INFOS = {
  name: 'file_infos',
  isKeyed: true,
  text: /* sql */ `
    select id, uuid, file_type as "fileType", file_name as "fileName", media_type as "mediaType",
      file_size as size, data_type_tags as tags, workspace_id as "workspaceId", is_deleted as "isDeleted",
      source_started as "sourceStartedMs", source_ended as "sourceEndedMs", data_started as "dataStartedMs",
      source_sensor_class as "sourceSensorClass", source_sensor as "sourceSensor",
      source_collection as "sourceCollection", source_task as "sourceTask"
    from file where id = any($1::bigint[]) and ${isNoTrial('coalesce(job_type_id, 0)')}`,
};

/** By id; unknown ids and the products of trials are left out, deleted files are included. */
export async function fileInfos(sql: Sql, ids: Iterable<number>): Promise<ReadonlyMap<number, FileInfo>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = await sql.execute<FileInfo>(FILE_INFOS, [wanted]);
  return new Map(rows.map((row) => [row.id, row]));
}

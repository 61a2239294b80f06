/**
 * Begins purges. One transaction marks the file as deleted, so that no new work uses it, and writes tombstones, which
 * keep its content from being ingested again at its present path and where it arrived. Their actor does the rest.
 */
import type { Sql } from '../sql/sql.ts';

export interface NewPurge {
  readonly id: number;
  readonly shard: number;
  readonly fileId: number;
  readonly deletesSourceBytes: boolean;
  readonly nowMs: number;
}

export type BegunPurge =
  /** `id` is that of the purge of this file, new or in progress. */
  | { readonly kind: 'begun'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'product' };

const KNOWN = /* sql */ `
  select id, phase from purge where file_id = $1   -- = purge_file_id_key`;
const FILE = /* sql */ `
  select file_type from file where id = $1 for update   -- = file_pkey`;
const INSERT = /* sql */ `
  insert into purge (id, shard, file_id, file_name, workspace_id, file_path, file_size, sha256, deletes_source_bytes,
    created, last_modified)
  select $2, $3, id, file_name, workspace_id, file_path, file_size, sha256, $4, to_timestamp($5::float8 / 1000),
    to_timestamp($5::float8 / 1000)
  from file where id = $1`;
const MEMBER = /* sql */ `
  insert into purge_file (purge_id, file_id, bytes) values ($2, $1, case when $3 then 'waiting' else 'settled' end)`;
const DELETED = /* sql */ `
  update file set is_deleted = true, deleted = coalesce(deleted, to_timestamp($2::float8 / 1000)),
    is_published = false, last_modified = to_timestamp($2::float8 / 1000)
  where id = $1`;
const TOMBSTONES = /* sql */ `
  insert into tombstone (purge_id, workspace_id, file_path, arrival, file_size, mtime_ms, sha256, created)
  select $2::bigint, f.workspace_id, f.file_path, null, f.file_size, null, f.sha256,
    to_timestamp($3::float8 / 1000)
  from file f where f.id = $1
  union all
  select $2::bigint, i.workspace_id, i.file_path, i.arrival, i.file_size, i.mtime_ms, f.sha256,
    to_timestamp($3::float8 / 1000)
  from ingest i join file f on f.id = i.source_file_id where i.source_file_id = $1   -- = ingest_source_file_idx`;

/** Begins the purge of a source file in one transaction, or finds the one that the file has. */
export function beginPurge(sql: Sql, purge: NewPurge): Promise<BegunPurge> {
  const { id, fileId, nowMs } = purge;
  return sql.transaction(async (inside): Promise<BegunPurge> => {
    const begun = await notePurge(inside, purge);
    if (begun.kind !== 'begun' || begun.id !== id) return begun;
    await inside.execute(TOMBSTONES, [fileId, id, nowMs]);
    await inside.execute(DELETED, [fileId, nowMs]);
    return begun;
  });
}

/** Inserts the rows that the search begins with, unless there is nothing to purge or the file has a purge. */
export async function notePurge(sql: Sql, purge: NewPurge): Promise<BegunPurge> {
  const { id, shard, fileId, deletesSourceBytes, nowMs } = purge;
  // With two requests for one file, the second waits here and finds the purge of the first.
  const [file] = await sql.execute<{ file_type: string }>(FILE, [fileId]);
  const [known] = await sql.execute<{ id: number; phase: string }>(KNOWN, [fileId]);
  if (known !== undefined) return { kind: known.phase === 'done' ? 'done' : 'begun', id: known.id };
  if (file === undefined) return { kind: 'unknown' };
  if (file.file_type !== 'SOURCE') return { kind: 'product' };
  await sql.execute(INSERT, [fileId, id, shard, deletesSourceBytes, nowMs]);
  await sql.execute(MEMBER, [fileId, id, deletesSourceBytes]);
  return { kind: 'begun', id };
}

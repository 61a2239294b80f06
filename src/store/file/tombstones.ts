/** Purged content, by place: it is not ingested there again. */
import type { ArrivalRecord } from '../../domain/ingest/ingest.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const PLACES = new RowSet<ArrivalRecord>([
  ['workspace_id', 'id', (row) => row.workspaceId],
  ['file_path', 'text', (row) => row.filePath],
  ['arrival', 'text', (row) => row.identity],
  ['file_size', 'id', (row) => row.size],
  ['mtime_ms', 'number', (row) => row.mtimeMs],
]);

const PURGED_ARRIVALS = {
  name: 'purged_arrivals',
  isRead: true,
  text: /* sql */ `
    select d.workspace_id, d.file_path, d.arrival from ${PLACES.table('d')}
    where exists (
      select from tombstone t where t.workspace_id = d.workspace_id and t.file_path = d.file_path
        and (t.arrival = d.arrival or (t.file_size = d.file_size and t.mtime_ms = d.mtime_ms)))
          -- = tombstone_place_idx`,
};

export function arrivalKey(workspaceId: number, filePath: string, identity: string): string {
  return `${workspaceId}/${filePath}\0${identity}`;
}

/** The complete arrivals whose content was purged, as keys of `arrivalKey`. */
export async function purgedArrivals(
  sql: Sql,
  arrivals: readonly ArrivalRecord[],
): Promise<ReadonlySet<string>> {
  const complete = arrivals.filter((one) => one.identity !== null);
  if (complete.length === 0) return new Set();
  const rows = await sql.execute<{ workspace_id: number; file_path: string; arrival: string }>(
    PURGED_ARRIVALS,
    PLACES.params(complete),
  );
  return new Set(rows.map((row) => arrivalKey(row.workspace_id, row.file_path, row.arrival)));
}

interface Place {
  readonly workspaceId: number;
  readonly filePath: string;
}

const AT = new RowSet<Place>([
  ['workspace_id', 'id', (row) => row.workspaceId],
  ['file_path', 'text', (row) => row.filePath],
]);

const PURGED_AT = {
  name: 'purged_at',
  text: /* sql */ `
    select t.workspace_id as "workspaceId", t.file_path as "filePath", t.file_size as size, t.sha256
    from ${AT.table('d')}
    join tombstone t on t.workspace_id = d.workspace_id and t.file_path = d.file_path   -- = tombstone_place_idx
    where t.sha256 is not null`,
};

export interface PurgedContent extends Place {
  readonly size: number;
  readonly sha256: string;
}

/** The purged content at places. */
export async function purgedAt(sql: Sql, places: readonly Place[]): Promise<readonly PurgedContent[]> {
  return places.length === 0 ? [] : sql.execute<PurgedContent>(PURGED_AT, AT.params(places));
}

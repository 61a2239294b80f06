/** The strikes and scans that look for files in a workspace, and the ingests of a file at a place. */
import type { IngestStatus } from '../../domain/ingest/ingest.ts';
import type { ScanConfiguration } from '../../domain/scan/scan-config.ts';
import type { StrikeConfiguration } from '../../domain/strike/strike-config.ts';
import type { Sql } from '../sql/sql.ts';
import { strikeReason } from '../strike/list.ts';
import { INGEST_JOINS, INGEST_REASON } from './list.ts';

export type FinderRow = Finder &
  (
    | { readonly kind: 'strike'; readonly configuration: StrikeConfiguration }
    | { readonly kind: 'scan'; readonly configuration: ScanConfiguration }
  );

interface Finder {
  readonly id: number;
  readonly name: string;
  readonly isPaused: boolean;
  readonly workspaceId: number;
  /** Name of its workspace. */
  readonly workspace: string;
  /** Why it finds nothing at the moment. */
  readonly reason: string | null;
}

// limit: strikes and scans of a workspace in one answer.
const FINDERS_MAX = 50;
// limit: ingests of a place that one answer shows.
const INGESTS_MAX = 20;

const STRIKES = `select 'strike' as kind, s.id, s.name, s.is_paused as "isPaused", s.workspace_id as "workspaceId",
    w.name as workspace, s.configuration, ${strikeReason('job')} as reason
  from strike s join job on job.id = s.job_id join workspace w on w.id = s.workspace_id`;
const SCANS = `select 'scan' as kind, s.id, s.name, false as "isPaused", s.workspace_id as "workspaceId",
    w.name as workspace, s.configuration, s.reason
  from scan s join workspace w on w.id = s.workspace_id`;

export async function findFinder(
  sql: Sql,
  kind: FinderRow['kind'],
  id: number,
): Promise<FinderRow | undefined> {
  const [row] = await sql.execute<FinderRow>(
    `${kind === 'strike' ? STRIKES : SCANS} where s.id = $1 and s.deleted is null`,
    [id],
  );
  return row;
}

/** The strikes and scans of a workspace. There are few. */
export async function findersOf(sql: Sql, workspaceId: number): Promise<readonly FinderRow[]> {
  const rows = await sql.execute<FinderRow>(
    `(${STRIKES} where s.workspace_id = $1 and s.deleted is null order by s.id limit ${FINDERS_MAX})
     union all (${SCANS} where s.workspace_id = $1 and s.deleted is null order by s.id desc limit ${FINDERS_MAX})`,
    [workspaceId],
  );
  return rows;
}

/** An ingest of a file that was found at a place. */
export interface FoundIngest {
  readonly id: number;
  readonly status: IngestStatus;
  readonly reason: string | null;
  readonly strikeId: number | null;
  readonly scanId: number | null;
  readonly finder: string;
  /** Where it is to be stored. */
  readonly target: { readonly id: number; readonly name: string };
  readonly fileId: number | null;
  readonly recipeId: number | null;
  readonly jobId: number | null;
  readonly size: number;
  readonly sinceMs: number;
}

const FOUND = `i.id, i.status, ${INGEST_REASON} as reason, i.strike_id as "strikeId", i.scan_id as "scanId",
  json_build_object('id', coalesce(nw.id, w.id), 'name', coalesce(nw.name, w.name)) as target,
  i.source_file_id as "fileId", i.job_id as "jobId", i.file_size as size, i.last_modified as "sinceMs",
  (select r.id from recipe r where r.ingest_id = i.id and r.parent_id is null) as "recipeId"`;
/** The file vanished before it was complete. */
const VANISHED = `i.arrival is null and i.status = 'ERRORED'`;
const AT = 'i.workspace_id = $1 and i.file_path = $2';

/**
 * The newest first. Relies on ingest_arrival_key, ingest_transferring_key, ingest_vanished_idx, ingest_scan_place_key
 * and recipe_ingest_key. `offset 0` keeps the planner from moving a search out of its lateral join.
 */
export async function ingestsAt(
  sql: Sql,
  workspaceId: number,
  path: string,
): Promise<readonly FoundIngest[]> {
  return sql.execute<FoundIngest>(
    `with found as materialized (
       select i.id from strike s cross join lateral (
         select i.id from ingest i where i.strike_id = s.id and ${AT} and i.arrival is not null offset 0) as i
       union select i.id from strike s cross join lateral (
         select i.id from ingest i where i.strike_id = s.id and ${AT} and i.status = 'TRANSFERRING' offset 0) as i
       union select i.id from strike s cross join lateral (
         select i.id from ingest i where i.strike_id = s.id and ${AT} and ${VANISHED}
         order by i.id desc limit 1) as i
       union select i.id from ingest i where ${AT} and i.scan_id is not null and i.arrival is not null)
     select ${FOUND}, coalesce(s.name, sc.name, '') as finder
     from found join ingest i on i.id = found.id ${INGEST_JOINS}
       left join strike s on s.id = i.strike_id left join scan sc on sc.id = i.scan_id
     order by i.last_modified desc, i.id desc limit ${INGESTS_MAX}`,
    [workspaceId, path],
  );
}

export interface StoredAt {
  readonly id: number;
  readonly fileType: 'SOURCE' | 'PRODUCT';
}

/** The file that is recorded at a place, and whether content of the place was purged. */
export async function storedAt(
  sql: Sql,
  workspaceId: number,
  path: string,
): Promise<{ readonly file: StoredAt | null; readonly purgedMs: number | null }> {
  const [row] = await sql.execute<{ file: StoredAt | null; purgedMs: number | null }>(
    `select (select json_build_object('id', f.id, 'fileType', f.file_type) from file f
         where f.workspace_id = $1 and f.file_path = $2 and not f.is_deleted and not f.is_superseded) as file,
       (select max(t.created) from tombstone t where t.workspace_id = $1 and t.file_path = $2) as "purgedMs"`,
    [workspaceId, path],
  );
  return row ?? { file: null, purgedMs: null };
}

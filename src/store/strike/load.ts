/** Loads strike actors: rows, their window of live ingests, and deferred ingests. */
import type { IngestState } from '../../domain/ingest/ingest.ts';
import type { JobStatus } from '../../domain/job/job.ts';
import type { ListingMark } from '../../domain/strike/bucket-listing.ts';
import type { StrikeRow } from '../../domain/strike/strike.ts';
import { INGEST_COLUMNS, type IngestDbRow, ingestJobType, ingestWindow, toIngest } from '../ingest/load.ts';
import { activeWorkspaces, MAY_TAKE_WORK } from '../node/load.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const STRIKES = {
  name: 'load_strikes',
  text: /* sql */ `
    select strike.id, strike.shard, strike.title, strike.description, strike.configuration, strike.workspace_id,
      strike.is_paused, strike.deferred_cursor, strike.listing, job.id as job_id, job.status as job_status,
      job.num_exes as job_exe_num, job.request_position, exe.id as exe_id, exe.node_id
    from strike
    join job on job.id = strike.job_id
    left join job_exe as exe on exe.job_id = job.id and exe.exe_num = job.num_exes and exe.status = 'RUNNING'
    where strike.id = any($1::bigint[])`,
};

interface StrikeDbRow {
  readonly id: number;
  readonly shard: number;
  readonly title: string;
  readonly description: string;
  readonly configuration: Record<string, unknown>;
  readonly workspace_id: number;
  readonly is_paused: boolean;
  readonly deferred_cursor: number | null;
  readonly listing: ListingMark | null;
  readonly job_id: number;
  readonly job_status: JobStatus;
  readonly job_exe_num: number;
  readonly request_position: number | null;
  readonly exe_id: number | null;
  readonly node_id: number | null;
}

/** Strikes with their first live ingests. A constant number of statements for the set, one more for each strike. */
export async function loadStrikes(
  sql: Sql,
  strikeIds: readonly number[],
): Promise<ReadonlyMap<number, StrikeRow>> {
  const [rows, workspaces, ingestType] = await Promise.all([
    sql.execute<StrikeDbRow>(STRIKES, [idArray(strikeIds)]),
    activeWorkspaces(sql),
    ingestJobType(sql),
  ]);
  const loaded = new Map<number, StrikeRow>();
  for (const row of rows) {
    const window = await ingestWindow(sql, { kind: 'strike', key: row.id });
    const { id, title, description, configuration } = row;
    loaded.set(id, {
      id,
      title,
      description,
      configuration,
      workspaceId: row.workspace_id,
      isPaused: row.is_paused,
      deferredCursor: row.deferred_cursor,
      listing: row.listing,
      job: {
        id: row.job_id,
        status: row.job_status,
        exeNum: row.job_exe_num,
        requestPosition: row.request_position,
      },
      monitor:
        row.exe_id === null || row.node_id === null
          ? null
          : { executionId: row.exe_id, exeNum: row.job_exe_num, nodeId: row.node_id },
      ingestJob: { ...ingestType, shard: row.shard },
      ...window,
      workspaces,
    });
  }
  return loaded;
}

// limit: strikes of one coordinator.
const DUE_MAX = 50_000;
// Relies on strike_shard_idx.
const DUE = {
  name: 'due_strikes',
  text: /* sql */ `
    select id from strike
    where shard = any($1::smallint[])
      and (not is_paused
        or exists (select from ingest where strike_id = strike.id and status in ('TRANSFERRED', 'INGESTING')))
    order by id limit ${DUE_MAX}`,
};

export async function dueStrikes(sql: Sql, shards: readonly number[]): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(DUE, [idArray(shards)]);
  return rows.map((row) => row.id);
}

// limit: monitors that one reconciliation moves.
const LOST_MAX = 1_000;
// Relies on strike_shard_idx, job_exe_num_key and node_workspace_workspace_idx.
const LOST = {
  name: 'lost_monitors',
  text: /* sql */ `
    select strike.id as strike_id, exe.id as execution_id
    from strike
    join job on job.id = strike.job_id
    join job_exe as exe on exe.job_id = job.id and exe.exe_num = job.num_exes and exe.status = 'RUNNING'
    join node as own on own.id = exe.node_id and own.is_online
    join node_workspace as reach on reach.node_id = own.id and reach.workspace_id = strike.workspace_id
    where strike.shard = any($1::smallint[]) and not strike.is_paused and not reach.is_reachable
      and exists (select from node_workspace as other join node on node.id = other.node_id
        where other.workspace_id = strike.workspace_id and other.is_reachable and ${MAY_TAKE_WORK})
    order by strike.id limit ${LOST_MAX}`,
};

/** Strikes of these shards whose monitor is on a node that no longer reaches their workspace while another does. */
export async function lostMonitors(
  sql: Sql,
  shards: readonly number[],
): Promise<readonly { readonly strikeId: number; readonly executionId: number }[]> {
  const rows = await sql.execute<{ strike_id: number; execution_id: number }>(LOST, [idArray(shards)]);
  return rows.map((row) => ({ strikeId: row.strike_id, executionId: row.execution_id }));
}

const WATCHING = /* sql */ `select id from strike where not is_paused order by id`;

/** Strikes whose actors are told of changes. */
export async function watchingStrikes(sql: Sql): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(WATCHING);
  return rows.map((row) => row.id);
}

// Relies on ingest_deferred_idx.
const DEFERRED = {
  name: 'deferred_ingests',
  text: /* sql */ `
    select ${INGEST_COLUMNS}
    where ingest.strike_id = $1 and ingest.id > $2 and ingest.status = 'DEFERRED'
    order by ingest.id limit $3`,
};

export async function deferredIngests(
  sql: Sql,
  page: { readonly strikeId: number; readonly afterId: number; readonly limit: number },
): Promise<readonly IngestState[]> {
  const rows = await sql.execute<IngestDbRow>(DEFERRED, [page.strikeId, page.afterId, page.limit]);
  return rows.map(toIngest);
}

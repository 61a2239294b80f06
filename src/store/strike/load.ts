/** Loads strike actors: rows, their window of live ingests, and deferred ingests. */
import type { IngestState } from '../../domain/ingest/ingest.ts';
import type { StrikeRow } from '../../domain/strike/strike.ts';
import { INGEST_COLUMNS, type IngestDbRow, ingestJobType, ingestWindow, toIngest } from '../ingest/load.ts';
import { JobEntity, JobExeEntity } from '../job/table.ts';
import { activeWorkspaces, MAY_TAKE_WORK } from '../node/load.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { columnsOf, type Joined, type RowOf } from '../sql/table-rows.ts';
import { StrikeEntity } from './table.ts';

const STRIKE = columnsOf(StrikeEntity, 'strike', [
  ...(['id', 'shard', 'title', 'description', 'configuration', 'workspaceId', 'isPaused'] as const),
  ...(['deferredCursor', 'listing', 'jobId'] as const),
]);
const JOB = columnsOf(JobEntity, 'job', ['status', 'numExes', 'requestPosition']);
const MONITOR = columnsOf(JobExeEntity, 'exe', ['nodeId']);

type StrikeDbRow = RowOf<typeof STRIKE> &
  RowOf<typeof JOB> &
  Joined<RowOf<typeof MONITOR> & { readonly executionId: number }>;

const STRIKES = {
  name: 'load_strikes',
  text: /* sql */ `
    select ${STRIKE.sql}, ${JOB.sql}, ${MONITOR.sql}, exe.id as "executionId"
    from strike
    join job on job.id = strike.job_id
    left join job_exe as exe on exe.job_id = job.id and exe.exe_num = job.num_exes and exe.status = 'RUNNING'
    where strike.id = any($1::bigint[]) and strike.deleted is null`,
};

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
    const { shard, jobId, status, numExes: exeNum, requestPosition, executionId, nodeId, ...strike } = row;
    const isWatched = executionId !== null && nodeId !== null;
    loaded.set(row.id, {
      ...strike,
      job: { id: jobId, status, exeNum, requestPosition },
      monitor: isWatched ? { executionId, exeNum, nodeId } : null,
      ingestJob: { ...ingestType, shard },
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

/** Strikes of these shards that watch, or have live ingests. */
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
    select strike.id as "strikeId", exe.id as "executionId"
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

interface LostMonitor {
  readonly strikeId: number;
  readonly executionId: number;
}

/** Strikes of these shards whose monitor is on a node that no longer reaches their workspace while another does. */
export function lostMonitors(sql: Sql, shards: readonly number[]): Promise<readonly LostMonitor[]> {
  return sql.execute<LostMonitor>(LOST, [idArray(shards)]);
}

const WATCHING = /* sql */ `select id from strike where not is_paused order by id`;

/** Ids of the strikes whose actors are notified when a workspace changes, ascending: those that are not paused. */
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

/** Deferred ingests with ids above `afterId`, ascending, at most `limit`. */
export async function deferredIngests(
  sql: Sql,
  page: { readonly strikeId: number; readonly afterId: number; readonly limit: number },
): Promise<readonly IngestState[]> {
  const rows = await sql.execute<IngestDbRow>(DEFERRED, [page.strikeId, page.afterId, page.limit]);
  return rows.map(toIngest);
}

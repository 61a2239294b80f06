/** What scans read of the simulated database. */
import type { LiveIngestJobs } from '../../../../src/actors/scan/scan.ports.ts';
import type { ScanMode, ScanRow } from '../../../../src/domain/scan/scan.ts';
import type { ScanDbRow, Tables } from '../tables.ts';
import { activeWorkspaces, ingestsOf, ingestWindow, runningOf } from './loads.ts';

type IngestType = { readonly jobTypeId: number; readonly jobTypeRevId: number; readonly maxTries: number };

export function loadScans(
  tables: Tables,
  ids: readonly number[],
  ingestType: IngestType,
): Map<number, ScanRow> {
  const loaded = new Map<number, ScanRow>();
  for (const id of ids) {
    const row = tables.scans.get(id);
    if (row === undefined) continue;
    const { configuration, workspaceId, run, waiting, cursor, cancelThrough, reason, shard } = row;
    const { counts, previousCounts } = row;
    loaded.set(id, {
      ...{ id, configuration, workspaceId, run, waiting, cursor, cancelThrough, reason },
      ...{ counts, previousCounts },
      jobs: { ingest: jobOf(tables, row, 'ingest'), dry_run: jobOf(tables, row, 'dry_run') },
      listing: listingOf(tables, row),
      ingestJob: { ...ingestType, shard, priority: 10, timeoutS: 0 },
      ...ingestWindow(tables, { kind: 'scan', key: id }),
      workspaces: activeWorkspaces(tables),
    });
  }
  return loaded;
}

export function scanJobId({ jobId, dryRunJobId }: ScanDbRow, mode: ScanMode): number {
  return mode === 'ingest' ? jobId : dryRunJobId;
}

function jobOf(tables: Tables, row: ScanDbRow, mode: ScanMode) {
  const { id, status, exeNum, requestPosition } = tables.jobs.at(scanJobId(row, mode));
  return { id, status, exeNum, requestPosition };
}

function listingOf(tables: Tables, row: ScanDbRow): ScanRow['listing'] {
  if (row.run === null) return null;
  const running = runningOf(tables, scanJobId(row, row.run));
  if (running === undefined) return null;
  return { executionId: running.id, exeNum: running.exeNum, nodeId: running.nodeId };
}

const isLive = (one: { readonly status: string }): boolean =>
  one.status === 'TRANSFERRED' || one.status === 'INGESTING';

export function dueScans(tables: Tables, shards: readonly number[]): number[] {
  const due = tables.scans.where(
    ({ id, shard, run, cancelThrough, waiting }) =>
      shards.includes(shard) &&
      (run !== null ||
        cancelThrough !== null ||
        waiting.length > 0 ||
        liveIngestJobs(tables, id).lastIngestId > 0),
  );
  return due.map((one) => one.id).sort((a, b) => a - b);
}

export function liveIngestJobs(tables: Tables, scanId: number): LiveIngestJobs {
  const live = ingestsOf(tables, { kind: 'scan', key: scanId }, isLive);
  return {
    jobIds: live.flatMap((one) => (one.jobId === 0 ? [] : [one.jobId])),
    lastIngestId: live.at(-1)?.id ?? 0,
  };
}

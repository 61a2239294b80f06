/** Compares a scan with the earlier scans of the same workspace. */
import type { IngestStatus } from '../../domain/ingest/ingest.ts';
import type { ScanCounts } from '../../domain/scan/scan.ts';
import { ingestsByStatus } from '../flow/figures.ts';
import { object, row } from '../sql/fields.ts';
import { readRecords } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

/** limit: scans that are compared, the newest of them. */
const COMPARED_MAX = 5;

const s = row('scan', 's');
const COMPARED = object({
  ...s.columns('id', 'name', 'title'),
  ...s.instants('created', 'last_modified'),
  counts: s.document<ScanCounts>('counts'),
});

/** The oldest first, the scan itself last; empty if there is no such scan. */
export async function comparedScans(sql: Sql, id: number) {
  const scans = await readRecords(
    sql,
    COMPARED,
    `scan s
     where s.workspace_id = (select workspace_id from scan where id = $1 and deleted is null)
       and s.id <= $1 and s.deleted is null
     order by s.id desc limit ${COMPARED_MAX}`,
    [id],
  );
  const ids = scans.map((scan) => scan.id);
  const ingests = await ingestsByStatus(sql, 'scan', ids);
  return scans.reverse().map(({ counts, ...scan }) => ({
    ...scan,
    mode: counts?.mode ?? null,
    matched: counts?.matched ?? null,
    unmatched: counts?.unmatched ?? null,
    ingests: ingestCounts(ingests.get(scan.id)),
  }));
}

function ingestCounts(counts: ReadonlyMap<IngestStatus, number> | undefined) {
  const sum = (...names: readonly IngestStatus[]): number =>
    names.reduce((total, name) => total + (counts?.get(name) ?? 0), 0);
  return {
    ...{ live: sum('TRANSFERRING', 'TRANSFERRED', 'INGESTING'), deferred: sum('DEFERRED') },
    ...{ ingested: sum('INGESTED'), duplicate: sum('DUPLICATE'), errored: sum('ERRORED') },
  };
}

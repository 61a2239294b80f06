/**
 * Products in a place that a strike or scan lists: they are not arrivals, or each would be ingested as a source and
 * processed again. A product's path contains its execution, or is reserved by it; while the execution runs, its files
 * may exist before their rows.
 */

import type { ArrivalRecord } from '../../domain/ingest/ingest.ts';
import { executionOfPath } from '../../domain/paths.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { arrivalKey } from './tombstones.ts';

interface Candidate {
  readonly arrival: ArrivalRecord;
  /** The execution in the path; null: the path contains none. */
  readonly executionId: number | null;
}

const PLACES = new RowSet<Candidate>([
  ['workspace_id', 'id', ({ arrival }) => arrival.workspaceId],
  ['file_path', 'text', ({ arrival }) => arrival.filePath],
  ['arrival', 'text', ({ arrival }) => arrival.seenIdentity],
  ['file_size', 'id', ({ arrival }) => arrival.size],
  ['named_id', 'id', (row) => row.executionId],
]);

// Superseded products as well, because they stay in place. A file of another size is other content. Values instead of
// `exists`: the planner would read all files into a hash, because the paths have no estimate. 'SOURCE' keeps
// it from the index of all products.
const PRODUCTS = {
  name: 'own_products',
  isRead: true,
  isKeyed: true,
  text: /* sql */ `
    select d.workspace_id, d.file_path, d.arrival
    from (
      select p.*, coalesce(p.named_id, r.job_exe_id) as exe_id from ${PLACES.table('p')}
      left join reserved_path r on r.workspace_id = p.workspace_id
        and r.file_path = p.file_path and p.named_id is null   -- = reserved_path_pkey
      offset 0) as d
    where d.exe_id is not null and coalesce(
      (select true from file f where f.workspace_id = d.workspace_id and f.file_path = d.file_path   -- = file_path_key
          and not f.is_deleted and not f.is_superseded and f.file_type <> 'SOURCE' and f.file_size = d.file_size),
      (select e.status = 'RUNNING' or (
          select true from file f where f.job_id = e.job_id and f.workspace_id = d.workspace_id   -- = file_job_idx
            and f.file_path = d.file_path and f.file_size = d.file_size limit 1)
        from job_exe e where e.id = d.exe_id),   -- = job_exe_pkey
      false)`,
};

/**
 * The arrivals that are products, as keys of `arrivalKey` with the identity that was seen: on a busy host a monitor may
 * report a product as transferring for a while.
 */
export async function ownProducts(
  sql: Sql,
  arrivals: readonly ArrivalRecord[],
): Promise<ReadonlySet<string>> {
  if (arrivals.length === 0) return new Set();
  const candidates = arrivals.map(
    (arrival): Candidate => ({ arrival, executionId: executionOfPath(arrival.filePath) ?? null }),
  );
  const rows = await sql.execute<{ workspace_id: number; file_path: string; arrival: string }>(
    PRODUCTS,
    PLACES.params(candidates),
  );
  return new Set(rows.map((row) => arrivalKey(row.workspace_id, row.file_path, row.arrival)));
}

/**
 * Products in a place that a strike or scan lists: they are not arrivals, or each would be ingested as a source and
 * processed again. A product's path contains its execution; while that runs, its files may exist before their rows.
 */

import type { ArrivalRecord } from '../../domain/ingest/ingest.ts';
import { executionOfPath } from '../../domain/paths.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { arrivalKey } from './tombstones.ts';

interface Candidate {
  readonly arrival: ArrivalRecord;
  readonly executionId: number;
}

const PLACES = new RowSet<Candidate>([
  ['workspace_id', 'id', ({ arrival }) => arrival.workspaceId],
  ['file_path', 'text', ({ arrival }) => arrival.filePath],
  ['arrival', 'text', ({ arrival }) => arrival.identity],
  ['file_size', 'id', ({ arrival }) => arrival.size],
  ['exe_id', 'id', (row) => row.executionId],
]);

// Superseded products as well, because they stay in place. A file of another size is other content.
const PRODUCTS = {
  name: 'own_products',
  isKeyed: true,
  text: /* sql */ `
    select d.workspace_id, d.file_path, d.arrival from ${PLACES.table('d')}
    where exists (
        select from file f where f.workspace_id = d.workspace_id and f.file_path = d.file_path   -- = file_path_key
          and not f.is_deleted and not f.is_superseded and f.file_type = 'PRODUCT' and f.file_size = d.file_size)
      or exists (
        select from job_exe e where e.id = d.exe_id   -- = job_exe_pkey
          and (e.status = 'RUNNING' or exists (
            select from file f where f.job_id = e.job_id and f.workspace_id = d.workspace_id   -- = file_job_idx
              and f.file_path = d.file_path and f.file_size = d.file_size)))`,
};

/** The complete arrivals that are products, as keys of `arrivalKey`. Runs no query for paths that no product has. */
export async function ownProducts(
  sql: Sql,
  arrivals: readonly ArrivalRecord[],
): Promise<ReadonlySet<string>> {
  const candidates = arrivals.flatMap((arrival): Candidate[] => {
    const executionId = executionOfPath(arrival.filePath);
    return arrival.identity === null || executionId === undefined ? [] : [{ arrival, executionId }];
  });
  if (candidates.length === 0) return new Set();
  const rows = await sql.execute<{ workspace_id: number; file_path: string; arrival: string }>(
    PRODUCTS,
    PLACES.params(candidates),
  );
  return new Set(rows.map((row) => arrivalKey(row.workspace_id, row.file_path, row.arrival)));
}

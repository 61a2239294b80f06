/** Which files of a workspace have no record. */
import { executionOfPath } from '../../domain/paths.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

interface Candidate {
  readonly path: string;
  readonly executionId: number | null;
}

const PATHS = new RowSet<Candidate>([
  ['file_path', 'text', (row) => row.path],
  ['exe_id', 'id', (row) => row.executionId],
]);

// A superseded product stays at its path: it is found by the execution that the path names, or that has reserved it.
const UNRECORDED = {
  name: 'unrecorded_paths',
  text: /* sql */ `
    select d.file_path as path from ${PATHS.table('d', 2)}
    where not exists (
        select from file f where f.workspace_id = $1 and f.file_path = d.file_path   -- = file_path_key
          and not f.is_deleted and not f.is_superseded)
      and not exists (
        select from job_exe e   -- = job_exe_pkey
        where e.id = coalesce(d.exe_id, (
            select r.job_exe_id from reserved_path r
            where r.workspace_id = $1 and r.file_path = d.file_path))   -- = reserved_path_pkey
          and (e.status = 'RUNNING' or exists (
            select from file f where f.job_id = e.job_id and f.workspace_id = $1   -- = file_job_idx
              and f.file_path = d.file_path and not f.is_deleted)))`,
};

/** Those of the paths that have no record. The products of a running execution count as recorded: they will be. */
export async function unrecordedPaths(
  sql: Sql,
  workspaceId: number,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const candidates = paths.map((path): Candidate => ({ path, executionId: executionOfPath(path) ?? null }));
  const rows = await sql.execute<{ path: string }>(UNRECORDED, [workspaceId, ...PATHS.params(candidates)]);
  return new Set(rows.map((row) => row.path));
}

/**
 * Paths of products that do not name their execution. A row is written before the file gets its name, so that the
 * file's job is known whatever happens to the agent. It stays as long as its job.
 */
import type { PathRequest } from '../../domain/node/agent-messages.ts';
import type { PathReservation } from '../../domain/node/coordinator-messages.ts';
import { HOLDER_INPUTS, type PathHolder, pathVerdict } from '../../domain/task/path-verdict.ts';
import type { Sql } from '../sql/sql.ts';

const ASKER = /* sql */ `
  select e.job_id as "jobId", e.status = 'RUNNING' as "isRunning", w.id as "workspaceId"
  from job_exe e, workspace w where e.id = $1 and w.uuid = $2::uuid   -- = job_exe_pkey, workspace_uuid_key`;

const HOLDER = /* sql */ `
  select r.job_id as "jobId", r.job_exe_id as "executionId", r.proof, r.file_size as size, r.sha256,
    array(
      select f.file_name from job_input_file i join file f on f.id = i.file_id
      where i.job_id = r.job_id   -- = job_input_file_pkey, file_pkey
      order by i.input, i.file_id limit ${HOLDER_INPUTS + 1}) as inputs,
    exists (
      select from file f where f.job_id = r.job_id and f.workspace_id = r.workspace_id   -- = file_job_idx
        and f.file_path = r.file_path and not f.is_deleted) as "isRecorded",
    exists (
      select from job j where j.id = r.job_id   -- = job_pkey
        and j.status not in ('COMPLETED', 'FAILED', 'CANCELED')) as "isUnfinished"
  from reserved_path r where r.workspace_id = $1 and r.file_path = $2   -- = reserved_path_pkey
  for update of r`;

const OTHER_FILE = /* sql */ `
  select f.id from file f where f.workspace_id = $1 and f.file_path = $2   -- = file_path_key
    and not f.is_deleted and not f.is_superseded and f.job_id is distinct from $3`;

const RESERVE = /* sql */ `
  insert into reserved_path as r (workspace_id, file_path, job_id, job_exe_id, proof, file_size, sha256, reserved)
  values ($1, $2, $3, $4, $5, $6, $7, now())
  on conflict (workspace_id, file_path) do update set job_id = excluded.job_id, job_exe_id = excluded.job_exe_id,
    proof = excluded.proof, file_size = excluded.file_size, sha256 = excluded.sha256, reserved = excluded.reserved
  where r.job_id = $8
  returning r.job_id`;

interface Asker {
  readonly jobId: number;
  readonly isRunning: boolean;
  readonly workspaceId: number;
}

const OVER: PathReservation = { verdict: 'over', reason: 'there is no such execution', isOwnFile: false };
const TAKEN: PathReservation = { verdict: 'taken', reason: 'another job reserves it', isOwnFile: false };

/** Decides, and reserves the path if the product may be stored there. */
export function reservePath(sql: Sql, request: PathRequest): Promise<PathReservation> {
  const { executionId, workspaceUuid, path } = request;
  return sql.transaction(async (inside) => {
    const [asker] = await inside.execute<Asker>(ASKER, [executionId, workspaceUuid]);
    if (asker === undefined) return OVER;
    const { workspaceId, jobId, isRunning } = asker;
    const [holder] = await inside.execute<PathHolder>(HOLDER, [workspaceId, path]);
    const [other] = await inside.execute<{ id: number }>(OTHER_FILE, [workspaceId, path, jobId]);
    const found = pathVerdict(request, { jobId, isRunning, holder, otherFileId: other?.id });
    if (found.verdict !== 'reserved') return found;
    const { proof, size, sha256 } = request;
    const row = [workspaceId, path, jobId, executionId, proof, size, sha256];
    const written = await inside.execute(RESERVE, [...row, holder?.jobId ?? jobId]);
    return written.length > 0 ? found : TAKEN;
  });
}

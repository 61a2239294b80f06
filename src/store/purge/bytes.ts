/** The files that a purge removes from workspaces: which are next, and the results. */
import type { FileDeletion } from '../../domain/node/agent-messages.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import { lockPurge, savePurge } from './record.ts';
import type { PurgeProblem, WorkspaceTally } from './table.ts';

/** limit: files in one order to an agent. */
const FILES_MAX = 100;
/** limit: problems in the record of a purge. */
const PROBLEMS_MAX = 100;

export interface WaitingFile {
  readonly fileId: number;
  readonly path: string;
  readonly size: number;
  /** Whether a file outside of the purge is registered there, or a job has reserved the path since. */
  readonly isShared: boolean;
  /** Whether an agent was ordered to remove it; its report may have been lost. */
  readonly wasAsked: boolean;
}

export interface WaitingFiles {
  readonly workspaceId: number;
  readonly workspaceUuid: string;
  readonly workspaceName: string;
  readonly isActive: boolean;
  readonly files: readonly WaitingFile[];
}

const WORKSPACE = /* sql */ `
  select w.id as "workspaceId", w.uuid as "workspaceUuid", w.name as "workspaceName", w.is_active as "isActive"
  from purge_file m join file f on f.id = m.file_id join workspace w on w.id = f.workspace_id
  where m.purge_id = $1 and m.bytes = 'waiting' and f.workspace_id <> all($2::bigint[])   -- = purge_file_bytes_idx
  order by m.file_id limit 1`;

const REACHING = /* sql */ `
  select n.id from node_workspace r join node n on n.id = r.node_id
  where r.workspace_id = $1 and r.is_reachable and n.is_online and n.is_active   -- = node_workspace_workspace_idx
  order by n.id`;

// Before a node is ordered to remove the returned files, their rows are marked as ordered.
const FILES = /* sql */ `
  with next as materialized (
    select f.id, f.file_path, f.file_size, m.was_asked, exists (
        select from file other where other.workspace_id = f.workspace_id and other.file_path = f.file_path
          and not other.is_deleted and not other.is_superseded   -- = file_path_key
          and not exists (select from purge_file where purge_id = $2 and file_id = other.id))
        or exists (
          select from reserved_path r where r.workspace_id = f.workspace_id and r.file_path = f.file_path
            and r.job_id is distinct from f.job_id) as is_shared   -- = reserved_path_pkey
    from purge_file m join file f on f.id = m.file_id
    where m.purge_id = $2 and m.bytes = 'waiting' and f.workspace_id = $1   -- = purge_file_bytes_idx
    order by m.file_id limit ${FILES_MAX}),
  asked as (
    update purge_file m set was_asked = true from next
    where m.purge_id = $2 and m.file_id = next.id   -- = purge_file_pkey
      and not m.was_asked and not next.is_shared and exists (${REACHING}))
  select id as "fileId", file_path as path, file_size as size, is_shared as "isShared", was_asked as "wasAsked"
  from next order by id`;

/**
 * The next files whose bytes are to be removed, all of one workspace. `passedOver`: workspaces that are skipped.
 * Undefined: no file of another workspace waits.
 */
export async function waitingFiles(
  sql: Sql,
  purgeId: number,
  passedOver: readonly number[],
): Promise<WaitingFiles | undefined> {
  const [workspace] = await sql.execute<Omit<WaitingFiles, 'files'>>(WORKSPACE, [
    purgeId,
    idArray(passedOver),
  ]);
  if (workspace === undefined) return undefined;
  const files = await sql.execute<WaitingFile>(FILES, [workspace.workspaceId, purgeId]);
  return { ...workspace, files };
}

/** Nodes whose agents can remove files of a workspace, including paused ones. */
export async function nodesRemoving(sql: Sql, workspaceId: number): Promise<readonly number[]> {
  const rows = await sql.execute<{ id: number }>(REACHING, [workspaceId]);
  return rows.map((row) => row.id);
}

const SETTLE = /* sql */ `
  update purge_file set bytes = 'settled'
  where purge_id = $1 and file_id = any($2::bigint[]) and bytes = 'waiting'   -- = purge_file_pkey
  returning file_id as id`;

const NOTHING: WorkspaceTally = { removed: 0, absent: 0, kept: 0, failed: 0, bytes: 0 };

/**
 * Records the agent's results for some files; a repeat counts nothing twice. Returns the reason why some files still
 * wait, or null.
 */
export function settleBytes(
  sql: Sql,
  purgeId: number,
  { workspaceId, workspaceName, files }: WaitingFiles,
  outcomes: readonly FileDeletion[],
  nowMs: number,
): Promise<string | null> {
  return sql.transaction(async (inside) => {
    const row = await lockPurge(inside, purgeId);
    if (row?.phase !== 'bytes') return null;
    const byPath = new Map(outcomes.map((one) => [one.path, one]));
    const settled = files.filter(({ path, isShared }) => {
      const one = byPath.get(path);
      return isShared || (one !== undefined && !(one.outcome === 'failed' && one.maySucceedLater));
    });
    const ids = idArray(settled.map((file) => file.fileId));
    const rows = await inside.execute<{ id: number }>(SETTLE, [purgeId, ids]);
    const now = new Set(rows.map(({ id }) => id));
    let tally = row.workspaces[workspaceId] ?? NOTHING;
    const problems: PurgeProblem[] = [...row.problems];
    for (const file of settled) {
      if (!now.has(file.fileId)) continue;
      tally = counted(tally, file, byPath.get(file.path));
      const problem = problemOf(file, byPath.get(file.path));
      if (problem !== undefined && problems.length < PROBLEMS_MAX) problems.push(problem);
    }
    const versioned = settled.find((file) => now.has(file.fileId) && isKept(byPath.get(file.path)));
    if (versioned !== undefined) noteVersions(problems, versioned.path, workspaceName);
    const workspaces = { ...row.workspaces, [workspaceId]: tally };
    const waiting = outcomes.find((one) => one.outcome === 'failed' && one.maySucceedLater);
    await savePurge(inside, row, { workspaces, problems, reason: null }, nowMs);
    return waiting === undefined ? null : waiting.reason;
  });
}

function counted(tally: WorkspaceTally, file: WaitingFile, one: FileDeletion | undefined): WorkspaceTally {
  if (file.isShared || one?.outcome === 'other') return { ...tally, kept: tally.kept + 1 };
  // An absent file was removed by an earlier request.
  if (one?.outcome === 'removed' || (one?.outcome === 'absent' && file.wasAsked)) {
    return { ...tally, removed: tally.removed + 1, bytes: tally.bytes + file.size };
  }
  if (one?.outcome === 'absent') return { ...tally, absent: tally.absent + 1 };
  return { ...tally, failed: tally.failed + 1 };
}

/** Whether the bytes remain somewhere although the file was removed; its reason then says why. */
function isKept(one: FileDeletion | undefined): boolean {
  return one?.outcome === 'removed' && one.reason !== '';
}

/** Added once for each workspace, because it applies to all files of a bucket with versions. */
function noteVersions(problems: PurgeProblem[], path: string, workspaceName: string): void {
  const description = `the bucket of the workspace '${workspaceName}' keeps what is removed as earlier versions`;
  if (problems.some((one) => one.description === description)) return;
  // In a full list it replaces the last entry.
  problems.splice(Math.min(problems.length, PROBLEMS_MAX - 1), 1, {
    name: 'VERSIONS_KEPT',
    description,
    path,
  });
}

function problemOf(file: WaitingFile, one: FileDeletion | undefined): PurgeProblem | undefined {
  const { path } = file;
  if (file.isShared) return { name: 'PATH_SHARED', description: 'another file is registered there', path };
  if (one?.outcome === 'other') {
    return { name: 'CONTENT_CHANGED', description: 'what lies there has another size', path };
  }
  if (one?.outcome === 'failed') return { name: 'NOT_REMOVED', description: one.reason, path };
  return undefined;
}

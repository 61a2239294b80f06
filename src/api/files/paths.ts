/** Opens the content of files by their paths. */
import { AppError } from '../../domain/errors.ts';
import { mediaTypeOf } from '../../domain/media-type.ts';
import { baseName } from '../../domain/paths.ts';
import { fileAddressProblem, hiddenProblem, pathNotAllowed } from '../../domain/workspace/file-address.ts';
import { findPathPlace, type PathPlace } from '../../store/file/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { type AgentContentParts, openFromAgents } from './agent-content.ts';
import type { ContentRequest, StreamedContent } from './content-reply.ts';
import { onceReached } from './new-workspace.ts';
import { refuseInactive, streamed } from './service.ts';

export interface PathParts extends AgentContentParts {
  readonly sql: Sql;
}

/**
 * Opens the file at a path. Throws PATH_NOT_ALLOWED, NOT_FOUND (no such workspace), FILE_NOT_FOUND, FORBIDDEN (not
 * recorded, and the caller may not read such files), STATE_CONFLICT, AGENT_UNAVAILABLE or WORKSPACE_UNAVAILABLE.
 */
export async function openPath(
  parts: PathParts,
  workspaceName: string,
  path: string,
  wanted: Omit<ContentRequest, 'isStream'> & { readonly isStaff: boolean },
): Promise<StreamedContent> {
  const problem = fileAddressProblem(path);
  if (problem !== undefined) throw pathNotAllowed(path, problem);
  const place = await findPathPlace(parts.sql, workspaceName, path);
  if (place === undefined) throw new AppError('NOT_FOUND', `there is no workspace '${workspaceName}'`);
  const { workspace, file } = place;
  if (file === null) refuseUnrecorded(place, path, wanted.isStaff);
  refuseInactive(workspace);
  const { nodeIds } = await onceReached(parts.sql, place, path);
  if (file !== null) return streamed(parts, { ...file, path, workspace }, nodeIds, wanted);
  const fileName = baseName(path);
  const looked = await openFromAgents(parts, { path, workspace, onlyLook: true }, nodeIds, wanted.signal);
  const found = { fileName, mediaType: mediaTypeOf(fileName), size: looked.fileSize, sha256: null };
  return streamed(parts, { ...found, path, workspace }, nodeIds, wanted);
}

function refuseUnrecorded({ workspace }: PathPlace, path: string, isStaff: boolean): void {
  const { http = 'none' } = workspace.configuration;
  if (http === 'none') {
    const text = `the workspace '${workspace.name}' serves recorded files only, and none is recorded at this path`;
    throw new AppError('FILE_NOT_FOUND', text);
  }
  if (!isStaff)
    throw new AppError('FORBIDDEN', 'no file is recorded at this path; only staff may read other files');
  const problem = hiddenProblem(path);
  if (problem !== undefined) throw pathNotAllowed(path, problem);
}

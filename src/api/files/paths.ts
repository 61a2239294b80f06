/** Files by their paths: the service behind their routes. */
import { AppError } from '../../domain/errors.ts';
import { mediaTypeOf } from '../../domain/media-type.ts';
import { baseName } from '../../domain/paths.ts';
import { fileAddressProblem, hiddenProblem, pathNotAllowed } from '../../domain/workspace/file-address.ts';
import { findPathPlace, type PathPlace } from '../../store/file/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { type AgentContentParts, openFromAgents } from './agent-content.ts';
import type { PathRouteDeps } from './path-routes.ts';
import { refuseInactive, streamed } from './service.ts';

export interface PathParts extends AgentContentParts {
  readonly sql: Sql;
}

export function pathsApp(parts: PathParts): PathRouteDeps['paths'] {
  return {
    async open(workspaceName, path, asked) {
      const problem = fileAddressProblem(path);
      if (problem !== undefined) throw pathNotAllowed(path, problem);
      const place = await findPathPlace(parts.sql, workspaceName, path);
      if (place === undefined) throw new AppError('NOT_FOUND', `there is no workspace '${workspaceName}'`);
      const { workspace, nodeIds, file } = place;
      if (file === null) refuseUnrecorded(place, path, asked.isStaff);
      refuseInactive(workspace);
      if (file !== null) return streamed(parts, { ...file, path, workspace }, nodeIds, asked);
      const fileName = baseName(path);
      const looked = await openFromAgents(parts, { path, workspace, onlyLook: true }, nodeIds, asked.signal);
      const found = { fileName, mediaType: mediaTypeOf(fileName), size: looked.fileSize, sha256: null };
      return streamed(parts, { ...found, path, workspace }, nodeIds, asked);
    },
  };
}

function refuseUnrecorded({ workspace }: PathPlace, path: string, isStaff: boolean): void {
  const { http = 'none' } = workspace.configuration;
  if (http === 'none') {
    const text = `the workspace '${workspace.name}' serves recorded files only, and none is recorded at this path`;
    throw new AppError('FILE_NOT_FOUND', text);
  }
  if (!isStaff) throw new AppError('FORBIDDEN', 'no file is recorded at this path; others are for staff');
  const problem = hiddenProblem(path);
  if (problem !== undefined) throw pathNotAllowed(path, problem);
}

/** Files that lie in a workspace without a record. An agent reads the workspace; the database says what is recorded. */
import { randomUUID } from 'node:crypto';
import { type NodeMessage, nodeAddress } from '../../actors/node/node.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { FilesFound, ListedFile } from '../../domain/node/agent-messages.ts';
import type { System } from '../../kernel/mod.ts';
import { findPathPlace } from '../../store/file/list.ts';
import { unrecordedPaths } from '../../store/file/unrecorded.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { onceReached } from '../files/new-workspace.ts';
import { refuseInactive } from '../files/service.ts';

export interface UnrecordedParts {
  readonly sql: Sql;
  readonly system: Pick<System, 'ask'>;
}

export interface UnrecordedPage {
  readonly files: readonly ListedFile[];
  /** How many files were compared with the records. */
  readonly checkedCount: number;
  /** Where the next page begins; null: no file follows. */
  readonly nextAfter: string | null;
}

/** How long an agent may take for a page. A directory of a million names takes a second, on a network more. */
const FIND_MS = 20_000;
// limit: agents that are tried, one after another.
const TRIES_MAX = 3;

/**
 * The files without a record among the next `limit` ones after a path. Throws NOT_FOUND (no such workspace),
 * STATE_CONFLICT (it is not active), AGENT_UNAVAILABLE or WORKSPACE_UNAVAILABLE.
 */
export async function unrecordedFiles(
  parts: UnrecordedParts,
  workspaceName: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<UnrecordedPage> {
  const place = await findPathPlace(parts.sql, workspaceName, '');
  if (place === undefined) throw new AppError('NOT_FOUND', `there is no workspace '${workspaceName}'`);
  const { workspace, workspaceId } = place;
  refuseInactive(workspace);
  const { nodeIds } = await onceReached(parts.sql, place, '');
  const { files, isLast } = await found(parts, workspace, nodeIds, { after, limit });
  const paths = files.map(({ path }) => path);
  const unrecorded = await unrecordedPaths(parts.sql, workspaceId, paths);
  return {
    files: files.filter(({ path }) => unrecorded.has(path)),
    checkedCount: files.length,
    nextAfter: isLast ? null : (paths.at(-1) ?? null),
  };
}

async function found(
  { system }: UnrecordedParts,
  { name, uuid }: { readonly name: string; readonly uuid: string },
  nodeIds: readonly number[],
  wanted: { readonly after: string; readonly limit: number },
): Promise<FilesFound> {
  let failure: unknown = new AppError(
    'AGENT_UNAVAILABLE',
    `no connected agent reaches the workspace '${name}'`,
  );
  for (const nodeId of nodeIds.slice(0, TRIES_MAX)) {
    const message: NodeMessage = {
      type: 'findFiles',
      requestId: randomUUID(),
      workspaceUuid: uuid,
      ...wanted,
    };
    try {
      const answer = await system.ask(nodeAddress(nodeId), message, { deadlineMs: FIND_MS });
      if (answer.problem === '') return answer;
      failure = new AppError('WORKSPACE_UNAVAILABLE', `the workspace '${name}': ${answer.problem}`);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

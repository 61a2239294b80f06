/** Stored files: what their routes need. Content comes from an agent that reaches the file's workspace. */
import { type NodeMessage, nodeAddress } from '../actors/node/node.messages.ts';
import { AppError } from '../domain/errors.ts';
import type { SendFile } from '../domain/node/coordinator-messages.ts';
import type { FileRouteDeps, OpenedContent } from '../http/v6/files.ts';
import type { CoordinatorInfo, System } from '../kernel/mod.ts';
import type { ContentRequests } from '../rpc/content.ts';
import { type FilePlace, findFile, findFilePlace, listFiles } from '../store/queries/files.ts';
import type { Sql } from '../store/sql.ts';
import { ContentPipe } from './content-pipe.ts';
import { canBeSentTo } from './redirect-target.ts';

export interface FileParts {
  readonly sql: Sql;
  readonly system: Pick<System, 'ask' | 'ownerOf'>;
  /** Id of this coordinator: agents stream to the coordinator that owns their node. */
  readonly self: string;
  /** What this coordinator listens on for HTTP, `host:port`. */
  readonly httpAddress: string;
  readonly contents: ContentRequests;
  readonly newRequestId: () => string;
  /** How long an agent may take to begin. */
  readonly beginDeadlineMs?: number;
}

const ASK_DEADLINE_MS = 5_000;
const BEGIN_DEADLINE_MS = 15_000;
// limit: agents that are tried, one after the other.
const TRIES_MAX = 3;

export function filesApp(parts: FileParts): FileRouteDeps['files'] {
  const { sql } = parts;
  return {
    list: (filter, order, page) => listFiles(sql, filter, order, page),
    find: (id) => findFile(sql, id),
    openContent: (id, signal) => openContent(parts, id, signal),
  };
}

async function openContent(parts: FileParts, id: number, signal: AbortSignal): Promise<OpenedContent> {
  const place = await findFilePlace(parts.sql, id);
  if (place === undefined) throw new AppError('NOT_FOUND', 'there is no such file');
  if (place.isDeleted) throw new AppError('FILE_NOT_FOUND', `the content of '${place.fileName}' was deleted`);
  const { name, isActive } = place.workspace;
  if (!isActive) throw new AppError('STATE_CONFLICT', `the workspace '${name}' is not active`);
  const owners = place.nodeIds.map((nodeId) => ({
    nodeId,
    owner: parts.system.ownerOf(nodeAddress(nodeId)),
  }));
  const here = owners.filter(({ owner }) => owner?.id === parts.self);
  if (here.length === 0) return elsewhere(parts, owners, name);
  return openHere(parts, place, here.map(({ nodeId }) => nodeId).slice(0, TRIES_MAX), signal);
}

function elsewhere(
  { httpAddress }: FileParts,
  owners: readonly { readonly owner: CoordinatorInfo | undefined }[],
  workspace: string,
): OpenedContent {
  const others = owners.flatMap(({ owner }) => owner ?? []);
  const other = others.find((one) => canBeSentTo(one.httpAddress, httpAddress));
  if (other !== undefined) return { kind: 'elsewhere', base: `http://${other.httpAddress}` };
  const text =
    others.length === 0
      ? `no agent that is there reaches the workspace '${workspace}'`
      : `the agents that reach the workspace '${workspace}' speak to a coordinator that listens on ` +
        `${others[0]?.httpAddress}, where no client can be sent: ask that coordinator`;
  throw new AppError('AGENT_UNAVAILABLE', text);
}

/** Asks one agent after the other until one begins. Throws what the last one said. */
async function openHere(
  parts: FileParts,
  place: FilePlace,
  nodeIds: readonly number[],
  signal: AbortSignal,
): Promise<OpenedContent> {
  let failure: unknown;
  for (const nodeId of nodeIds) {
    try {
      return await openAt(parts, place, nodeId, signal);
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    }
  }
  throw failure;
}

async function openAt(
  parts: FileParts,
  place: FilePlace,
  nodeId: number,
  signal: AbortSignal,
): Promise<OpenedContent> {
  const requestId = parts.newRequestId();
  const pipe = new ContentPipe();
  const giveUp = () => pipe.abandon();
  const late = setTimeout(giveUp, parts.beginDeadlineMs ?? BEGIN_DEADLINE_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  parts.contents.expect(requestId, pipe);
  try {
    const message: NodeMessage = { type: 'sendFile', file: fileOf(place, requestId) };
    await parts.system.ask(nodeAddress(nodeId), message, { deadlineMs: ASK_DEADLINE_MS });
    const length = await pipe.begun;
    const { fileName, mediaType } = place;
    return { kind: 'stream', fileName, mediaType, body: { stream: pipe.stream, length } };
  } catch (error) {
    signal.removeEventListener('abort', giveUp);
    throw error;
  } finally {
    clearTimeout(late);
    parts.contents.forget(requestId);
  }
}

function fileOf({ path, workspace }: FilePlace, requestId: string): SendFile {
  const { uuid, name, configuration } = workspace;
  const ref = { uuid, name, configuration: JSON.stringify(configuration) };
  return { type: 'sendFile', requestId, workspace: ref, path, offset: 0, length: 0 };
}

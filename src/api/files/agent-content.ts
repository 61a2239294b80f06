/** Reads the bytes of a file in a workspace through an agent that reaches it. */
import { randomUUID } from 'node:crypto';
import { type NodeMessage, nodeAddress } from '../../actors/node/node.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { SendFile } from '../../domain/node/coordinator-messages.ts';
import type { ByteRange } from '../../http/request/byte-range.ts';
import type { StreamBody } from '../../http/schema.ts';
import type { System } from '../../kernel/mod.ts';
import type { ContentRequests } from '../../rpc/content.ts';
import type { FilePlace } from '../../store/file/list.ts';
import { ContentPipe } from './content-pipe.ts';

export interface AgentContentParts {
  readonly system: Pick<System, 'ask' | 'ownerOf' | 'coordinators'>;
  /** Id of this coordinator. */
  readonly self: string;
  readonly contents: ContentRequests;
  /** How long an agent may take to start sending. */
  readonly beginDeadlineMs?: number;
}

/** `part`: undefined for the whole file. `onlyLook`: only the size of the file is read. */
export interface BytesRequest extends Pick<FilePlace, 'path' | 'workspace'> {
  readonly part?: ByteRange | undefined;
  readonly onlyLook?: boolean;
}

export interface SentBytes extends Required<Omit<StreamBody, 'cut'>> {
  /** The size of the whole file, if only the size was requested. */
  readonly fileSize: number;
}

const ASK_DEADLINE_MS = 5_000;
const BEGIN_DEADLINE_MS = 15_000;
// limit: agents that are tried, one after another.
const TRIES_MAX = 3;

/**
 * Requests the file from one agent after another until one starts sending, first from those that are connected to this
 * coordinator. Throws the last error, or FILE_NOT_FOUND if an agent has found that the file is missing.
 */
export async function openFromAgents(
  parts: AgentContentParts,
  place: BytesRequest,
  nodeIds: readonly number[],
  signal: AbortSignal,
): Promise<SentBytes> {
  let failure: unknown = new AppError(
    'AGENT_UNAVAILABLE',
    `no connected agent reaches the workspace '${place.workspace.name}'`,
  );
  const isFar = (nodeId: number) => Number(parts.system.ownerOf(nodeAddress(nodeId))?.id !== parts.self);
  const nearest = [...nodeIds].sort((one, other) => isFar(one) - isFar(other));
  for (const nodeId of nearest.slice(0, TRIES_MAX)) {
    try {
      return await openAt(parts, place, nodeId, signal);
    } catch (error) {
      if (!isMissing(failure)) failure = error;
      if (signal.aborted) break;
    }
  }
  throw failure;
}

function isMissing(failure: unknown): boolean {
  return failure instanceof AppError && failure.code === 'FILE_NOT_FOUND';
}

async function openAt(
  parts: AgentContentParts,
  place: BytesRequest,
  nodeId: number,
  signal: AbortSignal,
): Promise<SentBytes> {
  const requestId = randomUUID();
  const pipe = new ContentPipe();
  const giveUp = () => pipe.abandon();
  const late = setTimeout(giveUp, parts.beginDeadlineMs ?? BEGIN_DEADLINE_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  parts.contents.expect(requestId, pipe);
  try {
    const file = fileOf(place, requestId, receiverFor(parts, nodeId));
    const message: NodeMessage = { type: 'sendFile', file };
    await parts.system.ask(nodeAddress(nodeId), message, { deadlineMs: ASK_DEADLINE_MS });
    const { totalSize, fileSize = 0 } = await pipe.begun;
    const { part } = place;
    const isShort = part !== undefined && totalSize !== part.end - part.start + 1;
    if (isShort) {
      throw new AppError('FILE_NOT_FOUND', 'the file in the workspace has another size than was recorded');
    }
    return { stream: pipe.stream, length: totalSize, fileSize };
  } catch (error) {
    signal.removeEventListener('abort', giveUp);
    giveUp();
    throw error;
  } finally {
    clearTimeout(late);
    parts.contents.forget(requestId);
  }
}

/** Where the node's agent has to connect to reach this coordinator; '' if its session is here. */
export function receiverFor(
  { system, self }: Pick<AgentContentParts, 'system' | 'self'>,
  nodeId: number,
): string {
  if (system.ownerOf(nodeAddress(nodeId))?.id === self) return '';
  return system.coordinators().find(({ id }) => id === self)?.grpcAddress ?? '';
}

/** The workspace as agents get it: credentials are decrypted when the message leaves for the agent. */
export function workspaceRef({ uuid, name, configuration }: FilePlace['workspace']) {
  return { uuid, name, configuration: JSON.stringify(configuration) };
}

function fileOf(
  { path, workspace, part, onlyLook = false }: BytesRequest,
  requestId: string,
  receiver: string,
) {
  const offset = part?.start ?? 0;
  const length = part === undefined ? 0 : part.end - part.start + 1;
  const file: SendFile = {
    ...{ type: 'sendFile', requestId, workspace: workspaceRef(workspace), path, offset, length, receiver },
    onlyLook,
  };
  return file;
}

/** Uploads into workspaces: streams files from clients to an agent that reaches the workspace, which stores them. */
import { randomUUID } from 'node:crypto';
import { type NodeMessage, nodeAddress } from '../../actors/node/node.messages.ts';
import { AppError } from '../../domain/errors.ts';
import { mediaTypeOf } from '../../domain/media-type.ts';
import { baseName } from '../../domain/paths.ts';
import { fileAddressProblem, hiddenProblem, pathNotAllowed } from '../../domain/workspace/file-address.ts';
import type { ByteStream } from '../../http/exchange.ts';
import type { UploadStream } from '../../rpc/uploads.ts';
import { findPathPlace, type PathPlace } from '../../store/file/list.ts';
import { recordSource } from '../../store/file/save.ts';
import type { Parts } from '../parts.ts';
import { type AgentContentParts, receiverFor, workspaceRef } from './agent-content.ts';
import { onceReached } from './new-workspace.ts';
import { refuseInactive } from './service.ts';

export type TakingParts = Parts<'sql' | 'self' | 'ids' | 'uploads' | 'uploadBytesMax'> &
  Pick<AgentContentParts, 'system'>;

/** The upload for an agent. `size`: in bytes; undefined if it is not known before the stream ends. */
export interface UploadOrder extends Pick<PathPlace, 'workspace'> {
  readonly uploadId: string;
  /** Absent: the upload was begun before, and is continued. */
  readonly path?: string;
  readonly size?: number | undefined;
  /** Absent: an upload that was begun keeps its time, and a new one cannot be resumed. */
  readonly expiresMs?: number;
  readonly isRecorded?: boolean;
  readonly isAbandoned?: boolean;
  readonly isSettled?: boolean;
  /** Null: the upload belongs to no account. */
  readonly accountId?: number | null;
}

/** An upload that an agent has accepted. */
export interface OpenUpload {
  readonly nodeId: number;
  readonly stream: UploadStream;
}

const ASK_DEADLINE_MS = 5_000;
const BEGIN_DEADLINE_MS = 20_000;
// limit: agents that are tried, one after another.
const TRIES_MAX = 3;

/**
 * The place of a new file. Throws PATH_NOT_ALLOWED, CONFLICT (a file is recorded at the path), and as `writablePlace`
 * does.
 */
export async function placeForNew(parts: Parts<'sql'>, workspace: string, path: string): Promise<PathPlace> {
  const problem = fileAddressProblem(path) ?? hiddenProblem(path);
  if (problem !== undefined) throw pathNotAllowed(path, problem);
  const place = await writablePlace(parts, workspace, path);
  if (place.file !== null) throw new AppError('CONFLICT', `there is a recorded file at '${path}' already`);
  return place;
}

/** Throws NOT_FOUND (no such workspace), FORBIDDEN (it accepts no files), STATE_CONFLICT (it is not active). */
export async function writablePlace(
  { sql }: Parts<'sql'>,
  workspace: string,
  path: string,
): Promise<PathPlace> {
  const place = await findPathPlace(sql, workspace, path);
  if (place === undefined) throw new AppError('NOT_FOUND', `there is no workspace '${workspace}'`);
  if (place.workspace.configuration.http !== 'write') {
    const text = `the workspace '${workspace}' takes no files: its configuration has to say 'http: write'`;
    throw new AppError('FORBIDDEN', text);
  }
  refuseInactive(place.workspace);
  return onceReached(sql, place, path);
}

/** Throws TOO_LARGE. */
export function refuseTooLarge(size: number, bytesMax: number): void {
  if (size > bytesMax) throw new AppError('TOO_LARGE', `a file must not be larger than ${bytesMax} bytes`);
}

/** Offers the upload to one node after another until one accepts it. Throws the last error. */
export async function openUpload(
  parts: TakingParts,
  upload: UploadOrder,
  nodeIds: readonly number[],
): Promise<OpenUpload> {
  const { name } = upload.workspace;
  let failure: unknown = new AppError(
    'AGENT_UNAVAILABLE',
    `no connected agent reaches the workspace '${name}'`,
  );
  for (const nodeId of nodeIds.slice(0, TRIES_MAX)) {
    try {
      return { nodeId, stream: await openUploadAt(parts, upload, nodeId) };
    } catch (error) {
      failure = error;
      const isElsewhereToo = error instanceof AppError && error.status < 500;
      if (isElsewhereToo) break;
    }
  }
  throw failure;
}

export async function openUploadAt(
  parts: TakingParts,
  { workspace, uploadId, ...order }: UploadOrder,
  nodeId: number,
): Promise<UploadStream> {
  const requestId = randomUUID();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(
      new AppError('AGENT_UNAVAILABLE', 'the agent did not begin to take the file in time: try again'),
    );
  }, BEGIN_DEADLINE_MS);
  const begun = parts.uploads.expect(requestId);
  try {
    const receiver = receiverFor(parts, nodeId);
    const { path = '', size = -1, expiresMs = 0, isRecorded = false, isAbandoned = false } = order;
    const { isSettled = false, accountId } = order;
    const kept = { path, size, expiresMs, isRecorded, isAbandoned, isSettled, accountId: accountId ?? 0 };
    const file = {
      type: 'receiveFile',
      requestId,
      workspace: workspaceRef(workspace),
      uploadId,
      ...kept,
      receiver,
    } as const;
    const message: NodeMessage = { type: 'receiveFile', file };
    await parts.system.ask(nodeAddress(nodeId), message, { deadlineMs: ASK_DEADLINE_MS });
    return await Promise.race([begun, late.promise]);
  } finally {
    clearTimeout(timer);
    parts.uploads.forget(requestId);
  }
}

/** Sends the body to the agent. If it breaks off or is larger than `bytesMax`, the transfer is canceled. */
export async function sendBody(
  stream: UploadStream,
  body: ByteStream,
  { bytesMax, signal }: { readonly bytesMax: number; readonly signal: AbortSignal },
): Promise<{ readonly size: number; readonly isStored: boolean; readonly sha256: string }> {
  const giveUp = () => stream.cancel();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    let size = stream.begun.offset;
    for await (const chunk of unlessFailed(body, stream)) {
      size += chunk.byteLength;
      refuseTooLarge(size, bytesMax);
      await stream.send(chunk);
    }
    const { offset, isStored, sha256 } = await stream.finish();
    return { size: offset, isStored, sha256 };
  } catch (error) {
    stream.cancel();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** The pieces of the body. Throws as soon as the agent fails, however long the client waits with the next piece. */
async function* unlessFailed(body: ByteStream, stream: UploadStream): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let fail: (error: AppError) => void = () => undefined;
  // One listener for all pieces, because a race for each piece would leave a listener behind each time.
  stream.onFailure((error) => fail(error));
  for (;;) {
    const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      fail = reject;
      pieces.next().then(resolve, reject);
    });
    if (next.done === true) return;
    yield next.value;
  }
}

/** Records a stored file as a source, as an ingest does. Throws CONFLICT if its path is taken. Resolves with its id. */
export async function recordStored(
  { sql, ids }: Parts<'sql' | 'ids'>,
  { workspaceId }: PathPlace,
  file: { readonly path: string; readonly size: number; readonly sha256: string },
  nowMs: number,
): Promise<number> {
  const [id = 0] = await ids.reserve('file', 1);
  const fileName = baseName(file.path);
  await recordSource(sql, {
    ...{ id, uuid: randomUUID(), fileName, mediaType: mediaTypeOf(fileName), tags: [] },
    ...{ size: file.size, sha256: file.sha256, workspaceId, filePath: file.path, atMs: nowMs },
  });
  return id;
}

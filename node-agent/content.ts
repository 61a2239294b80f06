/** Sends a stored file to the coordinator on a separate stream, no faster than it is read. */
import type { Readable } from 'node:stream';
import { AppError } from '../src/domain/errors.ts';
import type { ContentChunk } from '../src/domain/node/agent-messages.ts';
import type { SendFile } from '../src/domain/node/coordinator-messages.ts';
import type { Logger } from '../src/observe/log.ts';
import type { ContentCall, LiveSession } from './session.ts';
import type { Workspaces } from './workspaces.ts';

const PIECE_BYTES_MAX = 256 * 1024;
const NOTHING = new Uint8Array();

export interface ContentOptions {
  readonly workspaces: Workspaces;
  readonly joinToken: string;
  readonly log: Logger;
}

/** Never rejects: a failure ends the stream with an error that the receiver sees. */
export async function sendFile(
  session: LiveSession,
  request: SendFile,
  options: ContentOptions,
): Promise<void> {
  const { receiver, onlyLook } = request;
  const ended = new AbortController();
  const call = await session.openContent(receiver, (error) => ended.abort(error ?? new Error('answered')));
  call.on('error', () => undefined); // reported to the callback above as well
  const onClosed = (): void => ended.abort(new Error('the session closed'));
  session.closed.addEventListener('abort', onClosed);
  const first = { joinToken: options.joinToken, requestId: request.requestId, error: '', totalSize: 0 };
  try {
    const broker = await options.workspaces.reached(request.workspace);
    const entry = await broker.stat(request.path);
    if (entry === undefined) throw new AppError('FILE_NOT_FOUND', 'the file is not in its workspace');
    if (onlyLook) {
      await write(call, { ...first, content: NOTHING, fileSize: entry.size }, ended.signal);
      return;
    }
    const rest = Math.max(0, entry.size - request.offset);
    const totalSize = request.length > 0 ? Math.min(rest, request.length) : rest;
    const range = { offset: request.offset, ...(request.length > 0 ? { length: request.length } : {}) };
    const source = await broker.openRead(request.path, range);
    await write(call, { ...first, content: NOTHING, totalSize }, ended.signal);
    await copy(source, call, ended.signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    options.log.warn('file_not_sent', { path: request.path, reason });
    // PATH_NOT_ALLOWED: a part of the path is a link or a file.
    const isMissing =
      error instanceof AppError && ['FILE_NOT_FOUND', 'PATH_NOT_ALLOWED'].includes(error.code);
    if (!ended.signal.aborted) call.write({ ...first, content: NOTHING, error: reason, isMissing });
  } finally {
    session.closed.removeEventListener('abort', onClosed);
    call.end();
  }
}

async function copy(source: Readable, call: ContentCall, ended: AbortSignal): Promise<void> {
  try {
    for await (const bytes of source as AsyncIterable<Buffer>) {
      for (let start = 0; start < bytes.length; start += PIECE_BYTES_MAX) {
        const content = bytes.subarray(start, start + PIECE_BYTES_MAX);
        await write(call, { joinToken: '', requestId: '', content, error: '', totalSize: 0 }, ended);
      }
    }
  } finally {
    source.destroy();
  }
}

/** Resolves when the stream accepts more. */
async function write(call: ContentCall, chunk: ContentChunk, ended: AbortSignal): Promise<void> {
  ended.throwIfAborted();
  if (call.write(chunk)) return;
  await new Promise<void>((resolve, reject) => {
    const onEnded = (): void => reject(ended.reason);
    ended.addEventListener('abort', onEnded, { once: true });
    call.once('drain', () => {
      ended.removeEventListener('abort', onEnded);
      resolve();
    });
  });
}

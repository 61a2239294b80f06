/**
 * Resumable uploads. They are not in the database: the agent that holds the bytes keeps a record on disk, and the id of
 * an upload contains its node, so that any coordinator can serve any upload.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { UploadReport } from '../../domain/node/agent-messages.ts';
import type { ByteStream } from '../../http/exchange.ts';
import { expectedFailure } from '../../http/problem.ts';
import type { RouteRequest } from '../../http/route.ts';
import type { UploadStream } from '../../rpc/uploads.ts';
import { findPathPlace, type PathPlace } from '../../store/file/list.ts';
import {
  openUpload,
  openUploadAt,
  placeForNew,
  recordStored,
  refuseTooLarge,
  sendBody,
  type TakingParts,
  writablePlace,
} from '../files/taking.ts';
import type { NewUpload } from './tus-headers.ts';

/** The id of an upload: the node whose agent holds it, and its id on that agent. */
export interface UploadId {
  readonly nodeId: number;
  readonly uploadId: string;
}

export interface UploadState {
  readonly path: string;
  readonly size: number;
  /** Bytes that are on disk. */
  readonly offset: number;
  readonly expiresMs: number;
  readonly isStored: boolean;
  /** Null until it is stored. */
  readonly sha256: string | null;
  /** Null: no file is recorded at its path. */
  readonly fileId: number | null;
}

/** An unfinished upload is removed a day after the last request that has added to it. */
const KEPT_MS = 24 * 3_600_000;
/** How long `readUpload` waits for an agent or a coordinator that restarts. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;
/** Only the agent knows the path of an upload that has begun. */
const NO_PATH = '';

export async function createUpload(
  parts: TakingParts,
  workspace: string,
  { size, path, isRecorded }: NewUpload,
  request: RouteRequest,
): Promise<UploadId & UploadState> {
  refuseTooLarge(size, parts.uploadBytesMax);
  const place = await placeForNew(parts, workspace, path);
  const uploadId = randomUUID();
  const { accountId } = request.caller;
  const asked = { workspace: place.workspace, uploadId, path, size, isRecorded, accountId };
  const expiresMs = request.nowMs + KEPT_MS;
  const { stream, nodeId } = await openUpload(parts, { ...asked, expiresMs }, place.nodeIds);
  const id = { nodeId, uploadId };
  const continued = { stream, place, id };
  return { ...id, ...(await ended(parts, continued, await stream.finish(), request)) };
}

/**
 * The state of an upload. If the file is complete, but an earlier call ended before it was stored or recorded, this
 * call does so. It waits for an agent or a coordinator that restarts, because clients take a 503 here for the end of
 * the upload, and begin another one.
 */
export async function readUpload(
  parts: TakingParts,
  workspace: string,
  id: UploadId,
  request: RouteRequest,
): Promise<UploadState> {
  const continued = await untilAnswered(() => open(parts, workspace, id, request), request.signal);
  return ended(parts, continued, await continued.stream.finish(), request);
}

/** Appends a body. Throws STATE_CONFLICT if `offset` is not where the upload ends, TOO_LARGE. */
export async function continueUpload(
  parts: TakingParts,
  { workspace, id, offset }: { readonly workspace: string; readonly id: UploadId; readonly offset: number },
  body: ByteStream,
  request: RouteRequest,
): Promise<UploadState> {
  const continued = await open(parts, workspace, id, request, { expiresMs: request.nowMs + KEPT_MS });
  const { stream } = continued;
  const { begun } = stream;
  if (begun.offset !== offset) {
    stream.cancel();
    throw new AppError('STATE_CONFLICT', `the upload continues at the offset ${begun.offset}, not ${offset}`);
  }
  const length = Number(request.headers.get('content-length') ?? 0);
  if (offset + length > begun.size) {
    stream.cancel();
    const text = `the file has ${begun.size} bytes by its Upload-Length, and the body goes beyond them`;
    throw new AppError('TOO_LARGE', text);
  }
  const bytesMax = parts.uploadBytesMax;
  const { size: reached, ...sent } = await sendBody(stream, body, { bytesMax, signal: request.signal });
  return ended(parts, continued, { ...begun, ...sent, offset: reached }, request);
}

/** Removes an upload with its bytes. A file that is already stored is kept. */
export async function removeUpload(
  parts: TakingParts,
  workspace: string,
  id: UploadId,
  request: RouteRequest,
): Promise<void> {
  const { stream } = await open(parts, workspace, id, request, { isAbandoned: true });
  await stream.finish();
}

async function untilAnswered<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const giveUpMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isRetryable = expectedFailure(error)?.retryable === true;
      if (!isRetryable || signal.aborted || performance.now() > giveUpMs) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

interface Continued {
  readonly stream: UploadStream;
  readonly place: PathPlace;
  readonly id: UploadId;
}

async function open(
  parts: TakingParts,
  workspace: string,
  id: UploadId,
  { caller }: RouteRequest,
  change: { readonly expiresMs?: number; readonly isAbandoned?: boolean } = {},
): Promise<Continued> {
  const { isAbandoned = false } = change;
  // An upload can be removed even if the workspace no longer accepts files.
  const place = await (isAbandoned
    ? findPathPlace(parts.sql, workspace, NO_PATH)
    : writablePlace(parts, workspace, NO_PATH));
  if (place === undefined) throw new AppError('NOT_FOUND', `there is no workspace '${workspace}'`);
  const asked = { workspace: place.workspace, uploadId: id.uploadId, accountId: caller.accountId };
  return { stream: await openUploadAt(parts, { ...asked, ...change }, id.nodeId), place, id };
}

async function ended(
  parts: TakingParts,
  { place, id }: Continued,
  report: UploadReport,
  request: RouteRequest,
): Promise<UploadState> {
  const { path, size, offset, expiresMs, isStored, sha256 } = report;
  const state = { path, size, offset, expiresMs, isStored, sha256: isStored ? sha256 : null };
  if (!isStored) return { ...state, fileId: null };
  const recordedId = async () =>
    (await findPathPlace(parts.sql, place.workspace.name, path))?.file?.id ?? null;
  let fileId = await recordedId();
  if (!report.isRecorded) return { ...state, fileId };
  if (fileId === null) {
    try {
      fileId = await recordStored(parts, place, { path, size, sha256 }, request.nowMs);
    } catch (error) {
      // Another request for this upload, or an ingest, has recorded it already.
      fileId = await recordedId();
      if (fileId === null) throw error;
    }
  }
  await settle(parts, place, id, request);
  return { ...state, fileId };
}

/** Tells the agent that the file is recorded, so that it is not recorded again after a purge. */
async function settle(
  parts: TakingParts,
  { workspace }: PathPlace,
  { nodeId, uploadId }: UploadId,
  { caller }: RouteRequest,
): Promise<void> {
  const asked = { workspace, uploadId, accountId: caller.accountId, isSettled: true };
  try {
    await (await openUploadAt(parts, asked, nodeId)).finish();
  } catch {
    // The next request for the upload repeats it.
  }
}

/** Downloads, uploads and logs as streams: contents are never whole in memory. */
import { isObject, name, piecesOf, readJson } from './answers.ts';
import { Contact } from './contact.ts';
import { type FailedCall, UnreachableError, UnusableAnswerError } from './errors.ts';
import type { CallSettings } from './operations.ts';
import { mayPass, pauseMs, sleep } from './retrying.ts';
import type { Sender } from './sending.ts';

const ANSWER_BYTES_MAX = 65_536;

/** A file: a recorded one by its id, or the one that is at a path. */
export type ContentPlace =
  | { readonly fileId: number }
  /** The path in its workspace, with slashes. */
  | { readonly workspace: string; readonly path: string };

/** A GET by its path with the query, such as that of a log. */
export interface ReadCall {
  readonly call: string;
}

/** A download that has begun. */
export interface Download {
  /** Bytes that the service announced; undefined if it did not. */
  readonly size: number | undefined;
  readonly mediaType: string;
  /** The SHA-256 of the content in hexadecimal; undefined if the content comes from another host. */
  readonly sha256: string | undefined;
  /** Rejects with a ClientError if the connection breaks and cannot be resumed within the time for retries. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** A file to store. */
export interface Upload {
  /** The name of a workspace that accepts files over HTTP (`http: write`). */
  readonly workspace: string;
  /** Relative to the workspace, with slashes. No file may exist there. */
  readonly path: string;
  readonly content: Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;
  /** Whether the file is recorded as a source; false by default. */
  readonly isRecorded?: boolean | undefined;
}

/** A file that was stored. */
export interface Uploaded {
  /** In its workspace. */
  readonly path: string;
  /** In bytes. */
  readonly file_size: number;
  /** The SHA-256 of its content, in hexadecimal. */
  readonly sha256: string;
  /** The id of the recorded file; null or absent where it was not recorded. */
  readonly file_id?: number | null | undefined;
}

/** Which part of a content is requested, and from where. */
export interface DownloadOptions {
  /** The number of bytes from the beginning, at least 1; absent: all. */
  readonly firstBytes?: number | undefined;
  /** True: the service sends the content itself, and does not redirect to another address. */
  readonly isStreamed?: boolean | undefined;
}

interface Part {
  readonly response: Response;
  readonly call: FailedCall;
}

/**
 * Begins a download. After a broken connection, the rest is requested by its offset. `If-Range` with the entity tag
 * makes sure that the content is still the same.
 */
export async function download(
  sender: Sender,
  place: ContentPlace | ReadCall,
  { firstBytes, isStreamed = false, ...settings }: DownloadOptions & Timed,
): Promise<Download> {
  const path = 'call' in place ? place.call : pathOf(place, isStreamed);
  const last = firstBytes === undefined ? '' : firstBytes - 1;
  const ask = (headers: Readonly<Record<string, string>>): Promise<Part> =>
    sender.send(
      { method: 'GET', path, headers, isRepeatable: true, mayLeave: true, ...settings },
      async (call, response) => ({ call, response }),
    );
  const first = await ask(last === '' ? {} : { range: `bytes=0-${last}` });
  const { headers } = first.response;
  const length = headers.get('content-length');
  const tag = headers.get('etag');
  return {
    size: length === null ? undefined : Number(length),
    mediaType: headers.get('content-type') ?? 'application/octet-stream',
    sha256: /^"([0-9a-f]{64})"$/.exec(tag ?? '')?.[1],
    content: contentOf(first, { tag, last, settings, sender, ask }),
  };
}

type Timed = CallSettings & { readonly timeoutMs: number };

interface Rest {
  readonly tag: string | null;
  /** The last requested byte, as in a `Range`; empty: to the end. */
  readonly last: number | '';
  readonly settings: Timed;
  readonly sender: Sender;
  readonly ask: (headers: Readonly<Record<string, string>>) => Promise<Part>;
}

async function* contentOf(
  first: Part,
  { tag, last, settings, sender, ask }: Rest,
): AsyncGenerator<Uint8Array> {
  let part = first;
  let offset = 0;
  const { forMs } = sender.retryingOf({ isRepeatable: true, ...settings });
  for (let resumed = 0; ; resumed += 1) {
    const before = offset;
    try {
      for await (const piece of timely(part, settings.timeoutMs)) {
        offset += piece.byteLength;
        yield piece;
      }
      return;
    } catch (error) {
      if (settings.signal?.aborted === true) throw settings.signal.reason;
      if (!(error instanceof UnreachableError) || tag === null || forMs === 0) throw error;
      // A resumed answer that breaks off before its first byte counts as permanent.
      if (offset === before && resumed > 0) throw error;
    }
    part = await resume({ offset, last, tag }, ask);
  }
}

interface Resumed extends Pick<Rest, 'last'> {
  readonly offset: number;
  readonly tag: string;
}

async function resume({ offset, last, tag }: Resumed, ask: Rest['ask']): Promise<Part> {
  const part = await ask({ range: `bytes=${offset}-${last}`, 'if-range': tag });
  const { call, response } = part;
  if (
    response.status === 206 &&
    response.headers.get('content-range')?.startsWith(`bytes ${offset}-`) === true
  )
    return part;
  await response.body?.cancel();
  throw new UnusableAnswerError(call, `${name(call)}: the content changed while it was read`);
}

/** Yields the pieces of a body; throws an UnreachableError if none comes for `idleMs`. */
async function* timely({ call, response }: Part, idleMs: number): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const pieces = piecesOf(call, response.body);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const silence = new Promise<never>((_resolve, reject) => {
        const message = `${name(call)}: nothing came for ${idleMs / 1_000} s`;
        timer = setTimeout(() => reject(new UnreachableError(call, message)), idleMs);
      });
      const next = await Promise.race([pieces.next(), silence]);
      clearTimeout(timer);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    response.body.cancel().catch(() => undefined);
    pieces.return(undefined).catch(() => undefined);
  }
}

/**
 * Stores a new file. It is never retried: if the first attempt has stored the file, a retry gets 409 `CONFLICT`, as it
 * does for a file of somebody else.
 */
export function upload(
  sender: Sender,
  { workspace, path, content, isRecorded = false }: Upload,
  settings: CallSettings,
): Promise<Uploaded> {
  return sender.send(
    {
      method: 'PUT',
      path: `${filePath({ workspace, path })}${isRecorded ? '?record=true' : ''}`,
      headers: { 'content-type': 'application/octet-stream' },
      body: () => content,
      isRepeatable: false,
      ...settings,
    },
    async (call, response) => uploadedOf(call, await readJson(call, response, ANSWER_BYTES_MAX)),
  );
}

function uploadedOf(call: FailedCall, body: unknown): Uploaded {
  if (!isUploaded(body)) {
    throw new UnusableAnswerError(call, `${name(call)}: the answer is not that of an upload`);
  }
  return body;
}

function isUploaded(body: unknown): body is Uploaded {
  if (!isObject(body)) return false;
  const { path, file_size, sha256 } = body;
  return typeof path === 'string' && typeof file_size === 'number' && typeof sha256 === 'string';
}

/**
 * One stream of an execution's log as it is written, until the execution has ended. Resumes at its offset. The answer
 * to a followed log begins with the log's first byte, so a task that writes nothing looks like a service that hangs.
 * Therefore the log is also read without following it, which is answered at once: at the beginning, after a broken
 * connection, and whenever nothing came for `timeoutMs` or 10 s, whichever is longer.
 */
export async function* followLog(
  sender: Sender,
  at: { readonly executionId: number; readonly stream: 'stdout' | 'stderr'; readonly isFollowed: boolean },
  settings: CallSettings & { readonly timeoutMs: number },
): AsyncGenerator<Uint8Array> {
  const { signal, onLost } = settings;
  const { forMs } = sender.retryingOf({ isRepeatable: true, ...settings });
  const contact = new Contact(settings);
  const patience =
    onLost === undefined ? settings : { ...settings, onLost: contact.lose, onBack: contact.find };
  const silenceMs = Math.max(settings.timeoutMs, SILENCE_MIN_MS);
  let [offset, failures, aliveMs, isFollowing] = [0, 0, performance.now(), false];
  let heardMs = aliveMs;
  for (;;) {
    const path = `/v6/job-executions/${at.executionId}/logs/${at.stream}/?follow=${isFollowing}&offset=${offset}`;
    const limits = isFollowing ? { timeoutMs: silenceMs, retryForMs: 0 } : {};
    heardMs = performance.now();
    try {
      const part = await sender.send(
        { method: 'GET', path, isRepeatable: true, ...patience, ...limits },
        async (call, response) => ({ call, response }),
      );
      contact.find();
      if (at.isFollowed) aliveMs = performance.now();
      for await (const piece of timely(part, isFollowing ? silenceMs : settings.timeoutMs)) {
        offset += piece.byteLength;
        [failures, aliveMs] = [0, performance.now()];
        yield piece;
        heardMs = performance.now();
      }
      if (isFollowing || !at.isFollowed) return;
      isFollowing = true;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (isFollowing && error instanceof UnreachableError && isSilent(heardMs, silenceMs)) {
        isFollowing = false;
        continue;
      }
      if (!mayPass(error) || performance.now() - aliveMs > forMs) throw error;
      // After a transient refusal, such as one stream too many, the same request is sent again.
      if (error instanceof UnreachableError) isFollowing = false;
      else contact.lose(error);
      await sleep(pauseMs(failures), signal);
      failures += 1;
    }
  }
}

/** limit: the service is silent for some 4 s before it ends the log of an execution that has ended. */
const SILENCE_MIN_MS = 10_000;

/** Whether silence ended a stream, not a broken connection. Timers may fire a millisecond early. */
function isSilent(heardMs: number, silenceMs: number): boolean {
  return performance.now() - heardMs >= silenceMs - 1;
}

function pathOf(place: ContentPlace, isStreamed: boolean): string {
  return 'fileId' in place ? contentPath(place.fileId, isStreamed) : filePath(place);
}

function contentPath(fileId: number, isStreamed: boolean): string {
  return `/v6/files/${fileId}/content/${isStreamed ? '?stream=true' : ''}`;
}

function filePath({ workspace, path }: { readonly workspace: string; readonly path: string }): string {
  const segments = path.split('/').map(encodeURIComponent);
  return `/v6/workspaces/${encodeURIComponent(workspace)}/files/${segments.join('/')}`;
}

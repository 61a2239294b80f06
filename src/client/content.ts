/** Contents of files and logs as streams, down and up: never whole in memory. */
import { isObject, name, piecesOf, readJson } from './answers.ts';
import { Contact } from './contact.ts';
import { type FailedCall, UnreachableError, UnusableAnswerError } from './errors.ts';
import type { CallSettings } from './operations.ts';
import { mayPass, pauseMs, sleep } from './retrying.ts';
import type { Sender } from './sending.ts';

const ANSWER_BYTES_MAX = 65_536;

/** Which file's content is meant: a recorded file by its id, or whatever is at a path. */
export type ContentPlace =
  | { readonly fileId: number }
  /** The path in its workspace, with slashes. */
  | { readonly workspace: string; readonly path: string };

/** The path of any call that only reads, with its query, such as that of a log. */
export interface ReadCall {
  readonly call: string;
}

/** A download that has begun. */
export interface Download {
  /** How much is sent, in bytes; undefined where the service does not say. */
  readonly size: number | undefined;
  readonly mediaType: string;
  /** The SHA-256 of the content in hexadecimal, where the service sends the content itself. */
  readonly sha256: string | undefined;
  /** Ends with the content; rejects with a ClientError when it breaks off for longer than calls are made again. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** A file to store. */
export interface Upload {
  /** The name of the workspace, which takes files over HTTP (`http: write`). */
  readonly workspace: string;
  /** In the workspace, with slashes. Nothing may be there yet. */
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

/** What of a content is asked for, and from whom. */
export interface DownloadOptions {
  /** Only the first bytes of the content, a positive number of them; all of it when absent. */
  readonly firstBytes?: number | undefined;
  /** The called service sends the content itself, and never names another address to get it from. */
  readonly isStreamed?: boolean | undefined;
}

interface Part {
  readonly response: Response;
  readonly call: FailedCall;
}

/**
 * Begins a download. When the connection breaks, the rest is asked for by its offset, and only if the content is the
 * same: `If-Range` has the entity tag.
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
  /** The last byte that is asked for; empty for the last of the content. */
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
      // An answer that breaks off without a byte, again and again, is a failure that stays.
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

/** Gives up when nothing comes for so long. */
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
 * Stores a new file. The call is made once: a repeat of what was stored is a conflict (409 `CONFLICT`), which cannot be
 * told from another's file.
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
 * One stream of an execution's log as it is written, until the execution has ended. Resumes by its offset. A followed
 * log answers with its first byte, which a silent task has not written, and a service that hangs is as silent. So
 * whether the service is there is found by reading what is there: at the beginning, after a break, and whenever nothing
 * came for `timeoutMs` or 10 s, whichever is longer.
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
      // What is refused for now, such as one stream too many, is asked for again as it was.
      if (error instanceof UnreachableError) isFollowing = false;
      else contact.lose(error);
      await sleep(pauseMs(failures), signal);
      failures += 1;
    }
  }
}

/** limit: the service is silent for some 4 s before it ends the log of an execution that has ended. */
const SILENCE_MIN_MS = 10_000;

/** Whether the time limit has ended a stream, and no broken connection. Timers may fire a millisecond early. */
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

/** The headers of tus 1.0 (https://tus.io/protocols/resumable-upload), read and written. */
import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/validation.ts';
import { fileAddressProblem, hiddenProblem, pathNotAllowed } from '../../domain/workspace/file-address.ts';
import { invalidBody } from '../../http/problem.ts';

type Headers = ReadonlyMap<string, string>;

export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = ['creation', 'termination', 'expiration'] as const;
export const CHUNK_MEDIA_TYPE = 'application/offset+octet-stream';

/** The request for a new upload. */
export interface NewUpload {
  readonly size: number;
  readonly path: string;
  readonly isRecorded: boolean;
}

/**
 * Throws PROTOCOL_VERSION if the client uses another version. `isNeeded`: also if it names none, so that no client of
 * another protocol changes anything.
 */
export function refuseOtherVersion(headers: Headers, isNeeded: boolean): void {
  const version = headers.get('tus-resumable');
  if (version === TUS_VERSION || (version === undefined && !isNeeded)) return;
  const sent = version === undefined ? 'is missing' : 'names another version';
  throw new AppError('PROTOCOL_VERSION', `the header Tus-Resumable ${sent}: it has to be '${TUS_VERSION}'`);
}

/** Throws INVALID_REQUEST with all problems, or PATH_NOT_ALLOWED if the path is the only one. */
export function newUploadOf(headers: Headers): NewUpload {
  const problems: Problem[] = [];
  const refuse = (path: string, description: string) => {
    problems.push({ name: 'INVALID_HEADER', description, path });
  };
  const size = bytesOf(headers.get('upload-length'));
  if (size === undefined) refuse('Upload-Length', 'must be the size of the file, a number of bytes');
  if (headers.has('upload-defer-length')) {
    refuse('Upload-Defer-Length', 'is not supported: the size must be known at the beginning');
  }
  if ((bytesOf(headers.get('content-length') ?? '0') ?? 1) > 0 || headers.has('transfer-encoding')) {
    refuse('body', 'must be empty: the bytes follow in PATCH requests');
  }
  const metadata = readMetadata(headers.get('upload-metadata') ?? '', (text) =>
    refuse('Upload-Metadata', text),
  );
  const path = metadata.get('path') ?? metadata.get('filename');
  const record = metadata.get('record') ?? 'false';
  if (!['', 'true', 'false'].includes(record)) refuse('Upload-Metadata', `'record' must be true or false`);
  if (path === undefined && problems.every((one) => one.path !== 'Upload-Metadata')) {
    refuse('Upload-Metadata', `must have 'path' or 'filename'`);
  }
  const pathProblem = path === undefined ? undefined : (fileAddressProblem(path) ?? hiddenProblem(path));
  if (pathProblem !== undefined && path !== undefined) {
    if (problems.length === 0) throw pathNotAllowed(path, pathProblem);
    refuse('Upload-Metadata', `the path ${pathProblem}`);
  }
  if (problems.length > 0 || size === undefined || path === undefined) throw invalidBody(problems);
  return { size, path, isRecorded: record !== 'false' };
}

/** Throws INVALID_REQUEST. */
export function offsetOf(headers: Headers): number {
  const offset = bytesOf(headers.get('upload-offset'));
  if (offset !== undefined) return offset;
  const description = 'must be the offset at which the body continues, a number of bytes';
  throw invalidBody([{ name: 'INVALID_HEADER', description, path: 'Upload-Offset' }]);
}

/** Throws UNSUPPORTED_MEDIA_TYPE. */
export function refuseOtherMediaType(headers: Headers): void {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() === CHUNK_MEDIA_TYPE) return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', `the Content-Type has to be '${CHUNK_MEDIA_TYPE}'`);
}

export function progressHeaders(upload: {
  readonly offset: number;
  readonly expiresMs: number;
}): Record<string, string> {
  return {
    'upload-offset': String(upload.offset),
    'upload-expires': new Date(upload.expiresMs).toUTCString(),
  };
}

function bytesOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const bytes = Number(text);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/**
 * Keys are ASCII without spaces and commas; values are Base64, or absent. Only the values of our own keys must be
 * UTF-8.
 */
function readMetadata(text: string, refuse: (problem: string) => void): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pairs = text.trim() === '' ? [] : text.split(',');
  for (const [index, pair] of pairs.entries()) {
    const match = /^([!-+\--~]+)(?: +([A-Za-z0-9+/]*={0,2}))?$/.exec(pair.trim());
    const [, key = '', encoded = ''] = match ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    const isBase64 = bytes.toString('base64').replaceAll('=', '') === encoded.replaceAll('=', '');
    if (match === null || !isBase64) {
      refuse(`pair ${index + 1} must be a key, a space and a value in Base64`);
      return found;
    }
    if (found.has(key)) refuse(`pair ${index + 1} repeats a key`);
    const value = decoded(bytes);
    if (value === undefined && OUR_KEYS.has(key)) refuse(`'${key}' must be UTF-8`);
    found.set(key, value ?? '');
  }
  return found;
}

const OUR_KEYS: ReadonlySet<string> = new Set(['path', 'filename', 'record']);
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Objects of one bucket: head, list, get, put, delete. Uses keys; failures are S3Failures. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Removal } from '../broker.ts';
import { type S3Connection, S3Failure } from './connection.ts';

export interface S3Object {
  readonly key: string;
  readonly size: number;
  /** Whole seconds, as in every answer. */
  readonly mtimeMs: number;
  readonly etag: string;
}

export interface S3Head extends S3Object {
  /** Own metadata, by lower-case name. */
  readonly meta: Readonly<Record<string, string>>;
}

export interface S3Page {
  readonly objects: readonly S3Object[];
  /** Pass it to the next call; undefined at the end. */
  readonly next: string | undefined;
}

const META = 'x-amz-meta-';

/** undefined when there is no such object. A missing bucket is a failure. */
export async function headObject(
  s3: S3Connection,
  key: string,
  signal?: AbortSignal,
): Promise<S3Head | undefined> {
  const answer = await s3.ask({ method: 'HEAD', key, expects: [200, 404], signal });
  answer.resume();
  if (answer.statusCode === 404) {
    // This answer has no body that distinguishes a missing object from a missing bucket.
    const bucket = await s3.ask({ method: 'HEAD', expects: [200, 404], signal });
    bucket.resume();
    if (bucket.statusCode === 404) throw new S3Failure('NoSuchBucket', false, undefined);
    return undefined;
  }
  const { headers } = answer;
  const own = Object.entries(headers).filter(([name]) => name.startsWith(META));
  return {
    key,
    size: Number(headers['content-length']),
    mtimeMs: wholeSeconds(headers['last-modified'] ?? ''),
    etag: plainEtag(headers.etag ?? ''),
    meta: Object.fromEntries(own.map(([name, value]) => [name.slice(META.length), String(value)])),
  };
}

export interface S3ListOptions {
  readonly prefix?: string | undefined;
  /** Only keys after it, in the order of their bytes. */
  readonly after?: string | undefined;
  /** Only keys without a `/` after the prefix. */
  readonly isFlat?: boolean;
  readonly pageSize: number;
}

/** One page of keys, in the order of their bytes. `from`: `next` of the page before. */
export async function listPage(s3: S3Connection, options: S3ListOptions, from?: string): Promise<S3Page> {
  const { prefix = '', after = '', isFlat = false, pageSize } = options;
  const parameters: Record<string, string> = {
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(Math.min(pageSize, 1_000)),
    prefix,
    ...(isFlat ? { delimiter: '/' } : {}),
    ...(from !== undefined ? { 'continuation-token': from } : after !== '' ? { 'start-after': after } : {}),
  };
  const { text } = await s3.text({ method: 'GET', query: queryText(parameters) });
  const objects = [...text.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = '']) => ({
    key: decodeURIComponent(element(entry, 'Key').replaceAll('+', ' ')),
    size: Number(element(entry, 'Size')),
    mtimeMs: wholeSeconds(element(entry, 'LastModified')),
    etag: plainEtag(element(entry, 'ETag')),
  }));
  const isCut = element(text, 'IsTruncated') === 'true';
  return { objects, next: isCut ? element(text, 'NextContinuationToken') : undefined };
}

export interface PutOptions {
  readonly meta: Readonly<Record<string, string>>;
  /** Refused when the key exists. */
  readonly isNew: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** False when the key exists already. The server checks the received bytes against their digest. */
export async function putObject(
  s3: S3Connection,
  key: string,
  body: Buffer,
  options: PutOptions,
): Promise<boolean> {
  const headers = {
    ...metaHeaders(options.meta),
    ...digestHeader(body),
    ...(options.isNew ? { 'If-None-Match': '*' } : {}),
  };
  // 409: another conditional write of the same key came first.
  const expects = options.isNew ? [200, 409, 412] : [200];
  const answer = await s3.ask({ method: 'PUT', key, headers, body, expects, signal: options.signal });
  answer.resume();
  return answer.statusCode === 200;
}

/** Removes the object; with `etag` only that content, where the server supports the condition. */
export async function deleteObject(s3: S3Connection, key: string, etag?: string): Promise<Removal> {
  const headers = etag === undefined ? {} : { 'If-Match': `"${etag}"` };
  const answer = await s3.ask({ method: 'DELETE', key, headers, expects: [200, 204, 404, 412] });
  answer.resume();
  if (answer.statusCode === 404 || answer.statusCode === 412) return 'absent';
  return answer.headers['x-amz-delete-marker'] === 'true' ? 'versioned' : 'removed';
}

/** The body of an object or of a range of it. `undefined`: the range begins past its end. */
export async function getObject(
  s3: S3Connection,
  key: string,
  range: { readonly offset: number; readonly length?: number | undefined },
): Promise<IncomingMessage | undefined> {
  const { offset, length } = range;
  const last = length === undefined ? '' : String(offset + length - 1);
  const isWhole = offset === 0 && length === undefined;
  const headers = isWhole ? {} : { Range: `bytes=${offset}-${last}` };
  const answer = await s3.ask({ method: 'GET', key, headers, expects: isWhole ? [200] : [200, 206, 416] });
  if (answer.statusCode === 416) {
    answer.resume();
    return undefined;
  }
  return answer;
}

export function metaHeaders(meta: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(meta).map(([name, value]) => [`${META}${name}`, value]));
}

export function digestHeader(body: Buffer): Record<string, string> {
  return { 'Content-MD5': createHash('md5').update(body).digest('base64') };
}

/** Encoded, in the order that signatures need. */
export function queryText(parameters: Readonly<Record<string, string>>): string {
  const encoded = Object.entries(parameters).map(([name, value]) => `${name}=${escaped(value)}`);
  return encoded.sort().join('&');
}

/** The text of the first element with that name; '' when there is none. */
export function element(xml: string, name: string): string {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  return found.replace(/&(lt|gt|quot|apos|amp|#\d{1,7}|#x[0-9a-fA-F]{1,6});/g, (_, entity: string) =>
    characterOf(entity),
  );
}

export function plainEtag(etag: string): string {
  return etag.replace(/^W\//, '').replaceAll('"', '').replaceAll('.', '_');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function characterOf(entity: string): string {
  const named = ENTITIES[entity];
  if (named !== undefined) return named;
  return String.fromCodePoint(Number(entity.startsWith('#x') ? `0${entity.slice(1)}` : entity.slice(1)));
}

function escaped(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Lists give fractions of seconds that other answers leave out. */
function wholeSeconds(text: string): number {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1_000) * 1_000;
}

/** Answers with the content of a file. */
import type { ByteRange } from '../../http/request/byte-range.ts';
import { type RouteRequest, reply } from '../../http/route.ts';
import { type StreamBody, streamReply } from '../../http/schema.ts';

/** The content of a file, with the media type of the file. */
export const FileContent = streamReply('*/*');

export interface ContentRequest {
  readonly signal: AbortSignal;
  /** The headers `Range` and `If-Range`, as received. */
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  /** Send the bytes through this coordinator, and never redirect. */
  readonly isStream: boolean;
}

/** A strong validator: content with the same hash is the same. */
export function contentTag(sha256: string): string {
  return `"${sha256}"`;
}

/**
 * The opened content, the coordinator to redirect to (`base`: `http://host:port`), or a presigned address of the object
 * store.
 */
export type OpenedContent =
  | StreamedContent
  | { readonly kind: 'elsewhere'; readonly base: string }
  | { readonly kind: 'presigned'; readonly url: string };

export type StreamedContent =
  | {
      readonly kind: 'stream';
      readonly fileName: string;
      readonly mediaType: string;
      readonly body: StreamBody;
      /** The hash of the whole content; undefined if unknown. */
      readonly sha256: string | undefined;
      /** For a part of the content: its bytes, and the total size. */
      readonly part?: ByteRange & { readonly size: number };
    }
  | { readonly kind: 'unsatisfiable'; readonly size: number };

/** The content and the part of it that a request asks for. */
export function contentRequestOf({ signal, headers }: RouteRequest): Omit<ContentRequest, 'isStream'> {
  return { signal, range: headers.get('range'), ifRange: headers.get('if-range') };
}

/** The answer with content that is streamed through this coordinator. */
export function contentReply(opened: StreamedContent) {
  if (opened.kind === 'unsatisfiable')
    return reply(416, undefined, { 'content-range': `bytes */${opened.size}` });
  const { part, sha256, fileName } = opened;
  const mediaType = mediaTypeHeader(opened.mediaType);
  const all = {
    'content-type': mediaType,
    'content-disposition': SHOWN.has(mediaType) ? 'inline' : attachment(fileName),
    // A delivered file must not run scripts in the origin of the service.
    'content-security-policy': 'sandbox',
    'accept-ranges': 'bytes',
    ...(sha256 === undefined ? {} : { etag: contentTag(sha256) }),
  };
  if (part === undefined) return reply(200, opened.body, all);
  const where = `bytes ${part.start}-${part.end}/${part.size}`;
  return reply(206, opened.body, { ...all, 'content-range': where });
}

/** Media types that browsers show in the page. Files of other types are saved. */
const SHOWN: ReadonlySet<string> = new Set(['image/gif', 'image/jpeg', 'image/png', 'image/webp']);

/** The `Content-Type` for a media type. Media types come from manifests and side-cars and may be invalid. */
export function mediaTypeHeader(mediaType: string): string {
  const isOne = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]*)?$/.test(mediaType);
  return isOne ? mediaType : 'application/octet-stream';
}

/** `Content-Disposition` of a file of any name (RFC 6266). */
export function attachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** `/v6/files/`: stored files, their origin, and their content. */
import { type Static, Type } from '@sinclair/typebox';
import { FILE_TYPES } from '../../domain/listing/filters.ts';
import { defineList, type List } from '../../http/list.ts';
import type { ByteRange } from '../../http/request/byte-range.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { choices, flag, integers, text, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, type RouteRequest, reply } from '../../http/route.ts';
import type { StreamBody } from '../../http/schema.ts';
import { document, id, instant, NO_BODY, named, oneOf, orNull, streamReply } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';
import { IdRef } from '../shared/records.ts';
import { WorkspaceRef } from '../workspaces/routes.ts';
import {
  STORED_FILE_FIELDS,
  StoredFile,
  type StoredFileRecord,
  type Unaddressed,
  withUrl,
} from './file-record.ts';

const Ancestor = named(
  'FileAncestor',
  Type.Object({
    id: id(),
    file_name: Type.String(),
    file_type: oneOf(FILE_TYPES),
    file_path: Type.String(),
    workspace: WorkspaceRef,
    is_deleted: Type.Boolean(),
    job: orNull(IdRef),
  }),
);
const FileDetails = named(
  'StoredFileDetails',
  Type.Object({
    ...STORED_FILE_FIELDS,
    meta_data: document(),
    sha256: orNull(Type.String()),
    is_parsed: Type.Boolean(),
    parsed: orNull(instant()),
    is_published: Type.Boolean(),
    ancestors: Type.Object({
      parents: Type.Array(Ancestor, { description: 'The inputs of the job that made it; at most 1,000.' }),
      sources: Type.Array(Ancestor, { description: 'The source files it descends from; at most 1,000.' }),
    }),
  }),
);
type FileDetailsRecord = Static<typeof FileDetails>;

const between = (started: string, ended: string) => timeRange({ names: [started, ended] });
export const FILE_ORDER = scalarFields(StoredFile);
const filters = {
  data: between('data_started', 'data_ended'),
  source: between('source_started', 'source_ended'),
  created: between('created_started', 'created_ended'),
  modified: between('modified_started', 'modified_ended'),
  source_sensor_class: texts('Classes of sensors.'),
  source_sensor: texts('Sensors.'),
  source_collection: texts('Collections.'),
  source_task: texts('Tasks that produced the source data.'),
  job_output: texts('Names of outputs.'),
  job_type_id: integers('Job types.'),
  job_type_name: texts('Names of job types, whatever their version.'),
  job_id: integers('Jobs that made the files.'),
  recipe_id: integers('Recipes.'),
  recipe_node: texts('Nodes of recipes.'),
  recipe_type_id: integers('Recipe types.'),
  batch_id: integers('Batches.'),
  countries: texts('ISO3 codes.'),
  file_name: texts('Whole names.'),
  file_type: choices('Types of files.', ['SOURCE', 'PRODUCT']),
  media_type: texts('Media types.'),
  file_name_search: text('Part of the name, in any case.'),
};
const order = orderBy(FILE_ORDER, ['last_modified']);

export interface AskedContent {
  readonly signal: AbortSignal;
  /** The headers of these names, as received. */
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  /** Never answer with another address. */
  readonly isStream: boolean;
}

/** A strong validator: content with the same hash is the same. */
export function contentTag(sha256: string): string {
  return `"${sha256}"`;
}

/**
 * The opened content, the coordinator to ask instead (`http://host:port`), or an address at the object store that is
 * readable for a while.
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

export interface FileRouteDeps {
  readonly files: {
    list: List<typeof filters, typeof order, Unaddressed<StoredFileRecord>>;
    find(id: number): Promise<Unaddressed<FileDetailsRecord> | undefined>;
    /**
     * Opens the content of a file. Throws NOT_FOUND, FILE_NOT_FOUND (deleted), STATE_CONFLICT (its workspace
     * is not active), AGENT_UNAVAILABLE or WORKSPACE_UNAVAILABLE.
     */
    openContent(id: number, asked: AskedContent): Promise<OpenedContent>;
  };
}

const list = defineList({
  path: '/v6/files/',
  summary: 'List stored files',
  description: 'Source files and products, deleted and superseded ones too.',
  query: { ...filters, order },
  record: StoredFile,
  async records({ query, request }, { files }: FileRouteDeps) {
    const { count, results } = await files.list(query, query.order, query.paging);
    const addressed = results.map((record) => withUrl(record, request.base));
    return { count, results: addressed };
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/files/{id}/',
  summary: 'Details of a stored file, with what it descends from',
  params: { id: pathId },
  replies: { 200: FileDetails },
  async handle({ params, request }, { files }: FileRouteDeps) {
    return reply(200, withUrl(existing(await files.find(params.id), 'file'), request.base));
  },
});

const content = defineRoute({
  method: 'GET',
  path: '/v6/files/{id}/content/',
  summary: 'Content of a stored file',
  description:
    'Streams through an agent that reaches the workspace; 307 names the coordinator that has such an agent when ' +
    'this one has none. One `Range` of bytes is served as such, under `If-Range` too.',
  params: { id: pathId },
  query: {
    stream: flag('True: never answer with another address; the bytes pass through this coordinator.'),
  },
  replies: { 200: streamReply(), 206: streamReply(), 307: NO_BODY, 416: NO_BODY },
  async handle({ params, query, request }, { files }: FileRouteDeps) {
    const opened = await files.openContent(params.id, {
      ...askedOf(request),
      isStream: query.stream === true,
    });
    if (opened.kind === 'elsewhere') {
      return reply(307, undefined, { location: `${opened.base}/v6/files/${params.id}/content/` });
    }
    if (opened.kind === 'presigned') {
      return reply(307, undefined, { location: opened.url, 'cache-control': 'no-store' });
    }
    return contentReply(opened);
  },
});

/** What a request asks of a file's content. */
export function askedOf({ signal, headers }: RouteRequest): Omit<AskedContent, 'isStream'> {
  return { signal, range: headers.get('range'), ifRange: headers.get('if-range') };
}

/** The answer with content that is not elsewhere. */
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

/** Media types that browsers show as they are; others are saved. */
const SHOWN: ReadonlySet<string> = new Set(['image/gif', 'image/jpeg', 'image/png', 'image/webp']);

/** Media types come from manifests and side-cars: an invalid one is sent as bytes. */
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

export const fileRoutes = [list, details, content];

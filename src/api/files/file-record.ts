/** The record of a stored file in lists, details, ingests and jobs, and the address of its bytes. */
import { type Static, Type } from '@sinclair/typebox';
import { FILE_TYPES } from '../../domain/listing/filters.ts';
import { scalarFields } from '../../http/request/ordering.ts';
import { document, id, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';
import {
  BatchSummary,
  IdRef,
  JobTypeSummary,
  RecipeTypeSummary,
  sourceFields,
  versionField,
} from '../shared/records.ts';
import { WorkspaceRef } from '../workspaces/schema.ts';

const PLACE = {
  id: id(),
  workspace: WorkspaceRef,
  file_name: Type.String(),
  file_type: oneOf(FILE_TYPES),
  uuid: Type.String({ description: 'The same for every version of a product.' }),
  data_type_tags: Type.Array(Type.String()),
  media_type: Type.String(),
  file_size: integer({ minimum: 0, description: 'Bytes.' }),
  file_path: Type.String({ description: 'Relative to the workspace.' }),
  is_deleted: Type.Boolean(),
  url: Type.String({ description: 'Where the content can be downloaded.' }),
  created: instant(),
  deleted: orNull(instant()),
  data_started: orNull(instant()),
  data_ended: orNull(instant()),
  geometry: orNull(Type.String({ description: 'Well-known text.' })),
  center_point: orNull(Type.String({ description: 'Well-known text.' })),
  last_modified: instant(),
};

export const STORED_FILE_FIELDS = {
  ...PLACE,
  ...versionField,
  countries: Type.Array(Type.String({ description: 'ISO3 code.' })),
  ...sourceFields,
  job: orNull(IdRef),
  job_exe: orNull(IdRef),
  job_output: orNull(Type.String()),
  job_type: orNull(JobTypeSummary),
  recipe: orNull(IdRef),
  recipe_node: orNull(Type.String()),
  recipe_type: orNull(RecipeTypeSummary),
  batch: orNull(BatchSummary),
  is_superseded: Type.Boolean(),
  superseded: orNull(instant()),
};

export const StoredFile = named('StoredFile', Type.Object(STORED_FILE_FIELDS));

/** `source_file` of ingests. */
export const SourceFile = named(
  'SourceFile',
  Type.Object({
    ...PLACE,
    meta_data: document(),
    is_parsed: Type.Boolean(),
    parsed: orNull(instant()),
  }),
);
export type SourceFileRecord = Static<typeof SourceFile>;

/** A record whose `url` is still its workspace's base URL, or null. */
export type Unaddressed<R> = Omit<R, 'url'> & { readonly url: string | null };

interface Addressable {
  readonly id: number;
  readonly file_path: string;
  readonly url: string | null;
}

/**
 * The absolute URL of a file's content: below the workspace's base URL if it has one, else this service's own. `base`
 * is the address that the client used.
 */
function urlOf({ id, file_path: path, url }: Addressable, base: string): string {
  const prefix = url?.replace(/\/+$/, '') ?? '';
  if (prefix === '') return `${base}/v6/files/${id}/content/`;
  return `${prefix}/${path.split('/').map(encodeURIComponent).join('/').replace(/^\/+/, '')}`;
}

/** The record with the address of its content. */
export function withUrl<R extends Addressable>(record: R, base: string): Omit<R, 'url'> & { url: string } {
  return { ...record, url: urlOf(record, base) };
}

/** The fields to read where these are shown: an address is made of several. */
export function readFor(shown: ReadonlySet<string> | undefined): ReadonlySet<string> | undefined {
  return shown?.has('url') === true ? new Set([...shown, 'id', 'file_path']) : shown;
}

type StoredFileRecord = Static<typeof StoredFile>;

/** Records with their addresses, where all of `readFor` was read. */
export function withUrls(
  records: readonly Partial<Unaddressed<StoredFileRecord>>[],
  base: string,
): readonly Partial<StoredFileRecord>[] {
  return records.map(({ url, ...record }) => {
    const { id, file_path } = record;
    if (url === undefined || id === undefined || file_path === undefined) return record;
    return { ...record, url: urlOf({ id, file_path, url }, base) };
  });
}

export const FILE_ORDER = scalarFields(StoredFile);

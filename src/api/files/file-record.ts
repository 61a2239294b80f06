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
 * The record with the absolute URL of its content: below the workspace's base URL if it has one, else this service's
 * own. `base` is the address that the client used.
 */
export function withUrl<R extends Addressable>(record: R, base: string): Omit<R, 'url'> & { url: string } {
  const prefix = record.url?.replace(/\/+$/, '') ?? '';
  const path = record.file_path.split('/').map(encodeURIComponent).join('/').replace(/^\/+/, '');
  return { ...record, url: prefix === '' ? `${base}/v6/files/${record.id}/content/` : `${prefix}/${path}` };
}
export const FILE_ORDER = scalarFields(StoredFile);

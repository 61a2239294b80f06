/** `/v6/files/`: stored files, their origin, and their content. */
import { Type } from '@sinclair/typebox';
import { FILE_TYPES } from '../../domain/listing/filters.ts';
import { defineList } from '../../http/list.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { choices, flag, integers, text, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { document, id, instant, NO_BODY, named, oneOf, orNull } from '../../http/schema.ts';
import { findFile, listFiles } from '../../store/file/list.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { IdRef } from '../shared/records.ts';
import { WorkspaceRef } from '../workspaces/schema.ts';
import { contentReply, contentRequestOf, FileContent } from './content-reply.ts';
import { FILE_ORDER, readFor, STORED_FILE_FIELDS, StoredFile, withUrl, withUrls } from './file-record.ts';
import { type FileParts, openContent } from './service.ts';

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

const between = (started: string, ended: string) => timeRange({ names: [started, ended] });
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

const list = defineList({
  path: '/v6/files/',
  summary: 'List stored files',
  description: 'Source files and products, deleted and superseded ones too.',
  query: { ...filters, order },
  record: StoredFile,
  async records({ query, shown, request }, { sql }: Parts<'sql'>) {
    const { count, some } = await listFiles(sql, query, query.order, query.paging, readFor(shown));
    return { count, some: withUrls(some, request.base) };
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/files/{id}/',
  summary: 'Details of a stored file, with what it descends from',
  params: { id: pathId },
  replies: { 200: FileDetails },
  async handle({ params, request }, { sql }: Parts<'sql'>) {
    return reply(200, withUrl(existing(await findFile(sql, params.id), 'file', params.id), request.base));
  },
});

const content = defineRoute({
  method: 'GET',
  path: '/v6/files/{id}/content/',
  summary: 'Content of a stored file',
  description:
    'Streams through an agent that reaches the workspace. If this coordinator has no such agent, 307 names one that ' +
    'has. For files of a bucket, 307 may name a temporary address at the object store. One `Range` of bytes is ' +
    'supported, also with `If-Range`.',
  params: { id: pathId },
  query: {
    stream: flag('True: no redirect; the bytes pass through this coordinator.'),
  },
  replies: { 200: FileContent, 206: FileContent, 307: NO_BODY, 416: NO_BODY },
  async handle({ params, query, request }, parts: FileParts) {
    const opened = await openContent(parts, params.id, {
      ...contentRequestOf(request),
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

export const fileRoutes = [list, details, content];

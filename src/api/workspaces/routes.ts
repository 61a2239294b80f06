/** `/v6/workspaces/`: places that hold files. */
import { storableText } from '../../domain/document/json-value.ts';
import { formatFileTime } from '../../domain/times.ts';
import { defineList } from '../../http/list.ts';
import { labelFilter } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag, integer, integers, text, texts } from '../../http/request/parameters.ts';
import { pathId, pathText } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { defineRoute, defineValidation, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import { listUnreached, listWorkspaces } from '../../store/workspace/list.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { warningHeader } from '../shared/warnings.ts';
import {
  UNRECORDED_MAX,
  UnreachedWorkspace,
  UnrecordedFiles,
  Workspace,
  WorkspaceCheck,
  WorkspaceCreate,
  WorkspaceDetails,
  WorkspaceEdit,
  workspacePath,
} from './schema.ts';
import {
  addWorkspace,
  changeWorkspace,
  checkWorkspace,
  type WorkspaceParts,
  workspaceDetails,
  workspaceDocumentProblems,
} from './service.ts';
import { type UnrecordedParts, unrecordedFiles } from './unrecorded.ts';

const ORDER = ['name', 'title', 'description', 'base_url', 'is_active', 'created', 'deprecated'] as const;

const filters = {
  range: timeRange(),
  name: texts('Names.'),
  id: integers('Ids of workspaces.', { minimum: 1 }),
  keyword: texts('Part of the name, title or description, in any case.'),
  is_active: flag('True: active; false: deprecated.'),
  label: labelFilter,
};
const order = orderBy([...ORDER, 'last_modified'], ['name']);

const unreached = defineList({
  path: '/v6/workspaces/unreached/',
  summary: 'List active workspaces that no node reaches',
  query: { order: orderBy(['id', 'name'], ['name']) },
  record: UnreachedWorkspace,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listUnreached(sql, {}, query.order, query.paging, shown),
});

const list = defineList({
  path: '/v6/workspaces/',
  summary: 'List workspaces',
  query: { ...filters, order },
  record: Workspace,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listWorkspaces(sql, query, query.order, query.paging, shown),
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/workspaces/',
  summary: 'Create a workspace',
  repeats: 'keyed',
  body: WorkspaceCreate,
  documentProblems: workspaceDocumentProblems,
  replies: { 201: WorkspaceDetails },
  async handle({ body, request }, parts: WorkspaceParts) {
    const { id: newId, warnings } = await addWorkspace(parts, body, request);
    const details = existing(await workspaceDetails(parts.sql, newId), 'workspace', newId);
    return reply(201, details, { location: workspacePath(newId), ...warningHeader(warnings) });
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/workspaces/{id}/',
  summary: 'Details of a workspace',
  params: { id: pathId },
  replies: { 200: WorkspaceDetails },
  async handle({ params }, { sql }: Parts<'sql'>) {
    return reply(200, existing(await workspaceDetails(sql, params.id), 'workspace', params.id));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/workspaces/{id}/',
  summary: 'Edit a workspace',
  description:
    'Fields that are not given stay as they are. A configuration replaces the old one; masked secrets are kept, and ' +
    'so is `http` where it is not given.',
  params: { id: pathId },
  body: WorkspaceEdit,
  documentProblems: workspaceDocumentProblems,
  replies: { 204: NO_BODY },
  async handle({ params, body, request }, parts: WorkspaceParts) {
    const warnings = await changeWorkspace(parts, params.id, body, request.nowMs);
    return reply(204, undefined, warningHeader(warnings));
  },
});

const validate = defineValidation({
  path: '/v6/workspaces/validation/',
  summary: 'Check a workspace before it is created or edited',
  body: WorkspaceCheck,
  handle({ raw }, parts: WorkspaceParts) {
    return checkWorkspace(parts, raw.configuration, storableText(raw.name));
  },
});

const unrecorded = defineRoute({
  method: 'GET',
  path: '/v6/workspaces/{name}/unrecorded/',
  summary: 'Files that lie in a workspace without a record',
  description:
    'For example those that were made after the backup that was restored. An agent lists the workspace in the order ' +
    'of paths, and one page of it is compared with the records: read on with `after` until `next_after` is null. A ' +
    'page may be empty. Files that wait for their ingest have no record yet; hidden names are left out.',
  access: 'write',
  params: { name: pathText },
  query: {
    after: text('Only files after this path.'),
    limit: integer('Files to compare, 1,000 when absent.', { minimum: 1, maximum: UNRECORDED_MAX }),
  },
  replies: { 200: UnrecordedFiles },
  async handle({ params, query }, parts: UnrecordedParts) {
    const { after = '', limit = UNRECORDED_MAX } = query;
    const page = await unrecordedFiles(parts, params.name, { after, limit });
    const results = page.files.map(({ path, size, mtimeMs }) => ({
      file_path: path,
      file_size: size,
      file_modified: formatFileTime(mtimeMs),
    }));
    return reply(200, { checked_count: page.checkedCount, next_after: page.nextAfter, results });
  },
});

export const workspaceRoutes = [unreached, list, create, details, edit, validate, unrecorded];

/** `/v6/job-types/` and `/v6/job-type-names/`: versioned, revisioned definitions of a unit of work. */
import { AppError } from '../../domain/errors.ts';
import { defineList } from '../../http/list.ts';
import { labelFilter } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag, integers, texts } from '../../http/request/parameters.ts';
import { pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, defineValidation, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import {
  findJobType,
  findJobTypeRevision,
  listJobTypeNames,
  listJobTypeRevisions,
  listJobTypes,
  listJobTypeVersions,
} from '../../store/job-type/list.ts';
import type { Parts } from '../parts.ts';
import { warningHeader } from '../shared/warnings.ts';
import { jobTypeEffects } from './effects.ts';
import {
  JobType,
  JobTypeCreate,
  JobTypeDetails,
  JobTypeEdit,
  JobTypeName,
  JobTypeRevision,
  JobTypeRevisionDetails,
  JobTypeValidation,
  JobTypeValidationResult,
  jobTypePath,
  pathRevision,
  unknownJobType,
} from './schema.ts';
import {
  addJobType,
  changeJobType,
  checkJobType,
  type JobTypeParts,
  jobTypeDocumentProblems,
} from './service.ts';

export const JOB_TYPE_ORDER = [
  ...(['id', 'name', 'version', 'title', 'description', 'icon_code', 'is_published', 'is_active'] as const),
  ...(['is_paused', 'is_system', 'max_scheduled', 'revision_num', 'container_image'] as const),
  ...(['unmet_resources', 'created', 'deprecated', 'paused', 'last_modified'] as const),
] as const;
export const JOB_TYPE_NAME_ORDER = [
  'name',
  'title',
  'description',
  'icon_code',
  'is_published',
  'latest_version',
] as const;
const order = orderBy(JOB_TYPE_ORDER, ['name']);
const nameOrder = orderBy(JOB_TYPE_NAME_ORDER, ['name']);

const filters = {
  keyword: texts('Part of the name or of a tag.'),
  id: integers('Ids of job types.', { minimum: 1 }),
  is_active: flag('True: active; false: deprecated.'),
  is_system: flag('True: system types; false: those of users.'),
  label: labelFilter,
};

const listNames = defineList({
  path: '/v6/job-type-names/',
  summary: 'List names of job types',
  description:
    'A name is listed if one of its versions passes all filters; it is shown with the fields of its latest.',
  query: { ...filters, order: nameOrder },
  record: JobTypeName,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listJobTypeNames(sql, query, query.order, query.paging, shown),
});

const list = defineList({
  path: '/v6/job-types/',
  summary: 'List job types',
  query: { ...filters, order },
  record: JobType,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listJobTypes(sql, query, query.order, query.paging, shown),
});

const listVersions = defineList({
  path: '/v6/job-types/{name}/',
  summary: 'List versions of a job type',
  description: 'Newest first. An unknown name gives an empty page.',
  params: { name: pathText },
  query: { is_active: filters.is_active },
  record: JobType,
  records: ({ params, query, shown }, { sql }: Parts<'sql'>) =>
    listJobTypeVersions(sql, { name: params.name, isActive: query.is_active }, query.paging, shown),
});

const VERSION_PARAMS = { name: pathText, version: pathText };

const get = defineRoute({
  method: 'GET',
  path: '/v6/job-types/{name}/{version}/',
  summary: 'Show a job type',
  params: VERSION_PARAMS,
  replies: { 200: JobTypeDetails },
  async handle({ params: { name, version } }, { sql }: Parts<'sql'>) {
    const found = await findJobType(sql, name, version);
    if (found === undefined) throw unknownJobType(name, version);
    return reply(200, found);
  },
});

const listRevisions = defineList({
  path: '/v6/job-types/{name}/{version}/revisions/',
  summary: 'List revisions of a job type',
  params: VERSION_PARAMS,
  record: JobTypeRevision,
  async records({ params: { name, version }, query, shown }, { sql }: Parts<'sql'>) {
    const listed = await listJobTypeRevisions(sql, { name, version }, query.paging, shown);
    if (listed === undefined) throw unknownJobType(name, version);
    return listed;
  },
});

const getRevision = defineRoute({
  method: 'GET',
  path: '/v6/job-types/{name}/{version}/revisions/{revision_num}/',
  summary: 'Show a revision of a job type',
  params: { ...VERSION_PARAMS, revision_num: pathRevision },
  replies: { 200: JobTypeRevisionDetails },
  async handle({ params: { name, version, revision_num } }, { sql }: Parts<'sql'>) {
    const found = await findJobTypeRevision(sql, { name, version }, revision_num);
    if (found === undefined) {
      const text = `there is no revision ${revision_num} of a job type '${name}' version '${version}'`;
      throw new AppError('NOT_FOUND', text);
    }
    return reply(200, found);
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/job-types/',
  summary: 'Create a job type, or a revision of it',
  repeats: 'keyed',
  description: 'Name and version come from the manifest. If there is such a job type, the call edits it.',
  hasManyParts: true,
  body: JobTypeCreate,
  documentProblems: jobTypeDocumentProblems,
  replies: { 201: JobTypeDetails },
  async handle({ body, request }, parts: JobTypeParts) {
    const { name, version, warnings } = await addJobType(parts, body, request);
    const made = await findJobType(parts.sql, name, version);
    if (made === undefined) throw unknownJobType(name, version);
    return reply(201, made, { location: jobTypePath(name, version), ...warningHeader(warnings) });
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/job-types/{name}/{version}/',
  summary: 'Edit a job type',
  description: 'A new manifest or image makes a revision. Null clears `max_scheduled` and `icon_code`.',
  params: VERSION_PARAMS,
  hasManyParts: true,
  body: JobTypeEdit,
  documentProblems: jobTypeDocumentProblems,
  replies: { 204: NO_BODY },
  async handle({ params, body, request }, parts: JobTypeParts) {
    const { warnings } = await changeJobType(parts, params, body, request.nowMs);
    return reply(204, undefined, warningHeader(warnings));
  },
});

const validate = defineValidation({
  path: '/v6/job-types/validation/',
  summary: 'Check a job type',
  hasManyParts: true,
  body: JobTypeValidation,
  result: JobTypeValidationResult,
  async handle({ raw, checked }, { sql }: Parts<'sql'>) {
    const found = await checkJobType(sql, raw);
    const isValid = checked.ok && found.errors.length === 0;
    return { ...found, extra: { effects: isValid ? await jobTypeEffects(sql, checked.value) : null } };
  },
});

export const jobTypeRoutes = [
  listNames,
  list,
  create,
  validate,
  listVersions,
  get,
  edit,
  listRevisions,
  getRevision,
];

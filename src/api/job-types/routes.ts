/** `/v6/job-types/` and `/v6/job-type-names/`: versioned, revisioned definitions of a unit of work. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List, type Listed } from '../../http/list.ts';
import { LABELS, labelFilter, NEW_LABELS } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import type { Paging } from '../../http/request/paging.ts';
import { flag, integers, texts } from '../../http/request/parameters.ts';
import { type PathPart, pathId, pathText } from '../../http/request/path-parameters.ts';
import {
  type Asker,
  defineRoute,
  defineValidation,
  type Findings,
  type RawBody,
  reply,
} from '../../http/route.ts';
import { document, id, instant, integer, NO_BODY, named, orNull } from '../../http/schema.ts';
import { JobConfiguration } from '../documents/job-configuration.ts';
import { SeedManifest, StoredManifest } from '../documents/manifest.ts';
import { JOB_TYPES } from '../shared/examples.ts';
import { JobTypeSummary, nullableInstant, nullableText, versionField } from '../shared/records.ts';
import { warningHeader } from '../shared/warnings.ts';

const MAX_SCHEDULED = orNull(integer({ minimum: 0, maximum: 2_147_483_647 }));

const listFields = {
  id: id(),
  ...versionField,
  name: Type.String(),
  version: Type.String(),
  title: Type.String(),
  description: Type.String(),
  icon_code: nullableText,
  is_published: Type.Boolean(),
  is_active: Type.Boolean({ description: 'False when deprecated.' }),
  is_paused: Type.Boolean({ description: 'No jobs of the type are scheduled.' }),
  is_system: Type.Boolean(),
  max_scheduled: MAX_SCHEDULED,
  revision_num: integer({ minimum: 1 }),
  container_image: Type.String(),
  unmet_resources: nullableText,
  labels: LABELS,
  created: instant(),
  deprecated: nullableInstant,
  paused: nullableInstant,
  last_modified: instant(),
};

export const JobType = named('JobType', Type.Object(listFields));

const RecipeTypeHead = named(
  'RecipeTypeHead',
  Type.Object({
    id: id(),
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    is_active: Type.Boolean(),
    is_system: Type.Boolean(),
    revision_num: integer({ minimum: 1 }),
    created: instant(),
    deprecated: nullableInstant,
    last_modified: instant(),
  }),
);

export const JobTypeDetails = named(
  'JobTypeDetails',
  Type.Object({
    ...listFields,
    max_tries: integer({ minimum: 0, description: 'Executions of a job at most, the first among them.' }),
    manifest: document('With all defaults.', StoredManifest),
    configuration: document('Without secret settings.', JobConfiguration),
    recipe_types: Type.Array(RecipeTypeHead),
  }),
);

const JobTypeName = named(
  'JobTypeName',
  Type.Object({
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    icon_code: nullableText,
    is_published: Type.Boolean(),
    versions: Type.Array(Type.String(), { description: 'Newest first.' }),
    latest_version: Type.String(),
  }),
);

const revisionFields = {
  id: id(),
  job_type: JobTypeSummary,
  revision_num: integer({ minimum: 1 }),
  container_image: Type.String(),
  created: instant(),
};
const JobTypeRevision = named('JobTypeRevision', Type.Object(revisionFields));
const JobTypeRevisionDetails = named(
  'JobTypeRevisionDetails',
  Type.Object({ ...revisionFields, manifest: document(undefined, StoredManifest) }),
);

const settableFields = {
  icon_code: Type.Optional(orNull(Type.String({ maxLength: 20 }))),
  is_published: Type.Optional(Type.Boolean()),
  labels: NEW_LABELS,
  is_active: Type.Optional(Type.Boolean({ description: 'Only in an edit: false deprecates.' })),
  is_paused: Type.Optional(Type.Boolean({ description: 'Only in an edit.' })),
  max_scheduled: Type.Optional(MAX_SCHEDULED),
  max_tries: Type.Optional(
    integer({ minimum: 0, maximum: 1_000, description: 'Executions at most; 3 if not given.' }),
  ),
  configuration: Type.Optional(document('Where products go, settings, mounts, priority.', JobConfiguration)),
  auto_update: Type.Optional(
    Type.Boolean({ description: 'Whether recipe types take over a new revision. Default: true.' }),
  ),
};
const IMAGE = Type.String({
  minLength: 1,
  maxLength: 500,
  description:
    'As `registry.example/team/tool:1.0`; or `process:default`: the command runs as a plain process of a node.',
});

/** People send back what they were shown. */
const IGNORED_NAME = Type.Optional(
  Type.String({ description: 'Without effect: the manifest has the name.' }),
);

const JobTypeCreate = named(
  'JobTypeCreate',
  Type.Object(
    {
      container_image: IMAGE,
      manifest: document('What it is, takes and makes.', SeedManifest),
      ...settableFields,
      name: IGNORED_NAME,
    },
    { examples: JOB_TYPES },
  ),
);
export type JobTypeCreateBody = Static<typeof JobTypeCreate>;

const JobTypeEdit = named(
  'JobTypeEdit',
  Type.Object({
    container_image: Type.Optional(IMAGE),
    manifest: Type.Optional(document('Makes a revision.', SeedManifest)),
    ...settableFields,
  }),
);
export type JobTypeEditBody = Static<typeof JobTypeEdit>;

const JobTypeValidation = named(
  'JobTypeValidation',
  Type.Object({
    container_image: Type.Optional(IMAGE),
    manifest: document('What it is, takes and makes.', SeedManifest),
    ...settableFields,
    name: IGNORED_NAME,
  }),
);

/** The result of writing a job type. */
export interface WrittenJobTypeAnswer {
  readonly name: string;
  readonly version: string;
  readonly warnings: readonly Problem[];
}

export interface JobTypeRouteDeps {
  readonly jobTypes: {
    names: List<typeof filters, typeof nameOrder, Static<typeof JobTypeName>>;
    list: List<typeof filters, typeof order, Static<typeof JobType>>;
    versions(
      name: string,
      isActive: boolean | undefined,
      paging: Paging,
    ): Promise<Listed<Static<typeof JobType>>>;
    find(name: string, version: string): Promise<Static<typeof JobTypeDetails> | undefined>;
    revisions(
      name: string,
      version: string,
      paging: Paging,
    ): Promise<Listed<Static<typeof JobTypeRevision>> | undefined>;
    revision(
      name: string,
      version: string,
      revisionNum: number,
    ): Promise<Static<typeof JobTypeRevisionDetails> | undefined>;
    /** An existing name and version is edited. Throws INVALID_DEFINITION or INVALID_CONFIGURATION. */
    create(body: JobTypeCreateBody, asker: Asker): Promise<WrittenJobTypeAnswer>;
    /** Throws NOT_FOUND too. */
    edit(name: string, version: string, body: JobTypeEditBody, nowMs: number): Promise<WrittenJobTypeAnswer>;
    validate(raw: RawBody): Promise<Findings>;
    /** The problems of the documents in a body, which may have any form. */
    documentProblems(raw: RawBody): Promise<readonly Problem[]>;
  };
}

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

export function unknownJobType(name: string, version: string): AppError {
  return new AppError('NOT_FOUND', `there is no job type '${name}' version '${version}'`);
}

const listNames = defineList({
  path: '/v6/job-type-names/',
  summary: 'List names of job types',
  description: 'A name is listed when one of its versions passes all filters; it is shown as its latest is.',
  query: { ...filters, order: nameOrder },
  record: JobTypeName,
  records: ({ query }, { jobTypes }: JobTypeRouteDeps) => jobTypes.names(query, query.order, query.paging),
});

const list = defineList({
  path: '/v6/job-types/',
  summary: 'List job types',
  query: { ...filters, order },
  record: JobType,
  records: ({ query }, { jobTypes }: JobTypeRouteDeps) => jobTypes.list(query, query.order, query.paging),
});

const listVersions = defineList({
  path: '/v6/job-types/{name}/',
  summary: 'List versions of a job type',
  description: 'Newest first. A name that nobody has gives an empty page.',
  params: { name: pathText },
  query: { is_active: filters.is_active },
  record: JobType,
  records: ({ params, query }, { jobTypes }: JobTypeRouteDeps) =>
    jobTypes.versions(params.name, query.is_active, query.paging),
});

const VERSION_PARAMS = { name: pathText, version: pathText };

const get = defineRoute({
  method: 'GET',
  path: '/v6/job-types/{name}/{version}/',
  summary: 'Show a job type',
  params: VERSION_PARAMS,
  replies: { 200: JobTypeDetails },
  async handle({ params: { name, version } }, { jobTypes }: JobTypeRouteDeps) {
    const found = await jobTypes.find(name, version);
    if (found === undefined) throw unknownJobType(name, version);
    return reply(200, found);
  },
});

const listRevisions = defineList({
  path: '/v6/job-types/{name}/{version}/revisions/',
  summary: 'List revisions of a job type',
  params: VERSION_PARAMS,
  record: JobTypeRevision,
  async records({ params: { name, version }, query }, { jobTypes }: JobTypeRouteDeps) {
    const listed = await jobTypes.revisions(name, version, query.paging);
    if (listed === undefined) throw unknownJobType(name, version);
    return listed;
  },
});

/** A revision's number. */
export const pathRevision: PathPart<number> = pathId;

const getRevision = defineRoute({
  method: 'GET',
  path: '/v6/job-types/{name}/{version}/revisions/{revision_num}/',
  summary: 'Show a revision of a job type',
  params: { ...VERSION_PARAMS, revision_num: pathRevision },
  replies: { 200: JobTypeRevisionDetails },
  async handle({ params: { name, version, revision_num } }, { jobTypes }: JobTypeRouteDeps) {
    const found = await jobTypes.revision(name, version, revision_num);
    if (found === undefined) throw new AppError('NOT_FOUND', `there is no revision ${revision_num} of it`);
    return reply(200, found);
  },
});

/** The path of one version of a job type. */
export const jobTypePath = (name: string, version: string): string =>
  `/v6/job-types/${encodeURIComponent(name)}/${encodeURIComponent(version)}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/job-types/',
  summary: 'Create a job type, or a revision of it',
  repeats: 'keyed',
  description: 'Name and version come from the manifest. When they exist, the call makes a new revision.',
  hasManyParts: true,
  body: JobTypeCreate,
  documentProblems: (raw, { jobTypes }: JobTypeRouteDeps) => jobTypes.documentProblems(raw),
  replies: { 201: JobTypeDetails },
  async handle({ body, request }, { jobTypes }: JobTypeRouteDeps) {
    const { name, version, warnings } = await jobTypes.create(body, request);
    const made = await jobTypes.find(name, version);
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
  documentProblems: (raw, { jobTypes }: JobTypeRouteDeps) => jobTypes.documentProblems(raw),
  replies: { 204: NO_BODY },
  async handle({ params: { name, version }, body, request }, { jobTypes }: JobTypeRouteDeps) {
    const { warnings } = await jobTypes.edit(name, version, body, request.nowMs);
    return reply(204, undefined, warningHeader(warnings));
  },
});

const validate = defineValidation({
  path: '/v6/job-types/validation/',
  summary: 'Check a job type',
  hasManyParts: true,
  body: JobTypeValidation,
  handle: ({ raw }, { jobTypes }: JobTypeRouteDeps) => jobTypes.validate(raw),
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

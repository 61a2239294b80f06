/** `/v6/workspaces/`: places that hold files. */
import { type Static, Type } from '@sinclair/typebox';
import { storableText } from '../../domain/document/json-value.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List } from '../../http/list.ts';
import { LABELS, labelFilter, NEW_LABELS } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import {
  type Asker,
  defineRoute,
  defineValidation,
  type Findings,
  type RawBody,
  reply,
} from '../../http/route.ts';
import { document, id, instant, NEW_NAME, NO_BODY, named, orNull, TITLE } from '../../http/schema.ts';
import { WorkspaceConfiguration } from '../documents/workspace.ts';
import { WORKSPACES } from '../shared/examples.ts';
import { existing } from '../shared/existing.ts';
import { versionField } from '../shared/records.ts';
import { warningHeader } from '../shared/warnings.ts';

const FIELDS = {
  id: id(),
  name: Type.String({ description: 'Never changed.' }),
  title: Type.String(),
  description: Type.String(),
  base_url: orNull(Type.String({ description: 'URL prefix of its files, if they can be had by one.' })),
  is_active: Type.Boolean(),
  created: instant(),
  deprecated: orNull(instant('Since when it is not active.')),
  last_modified: instant(),
};

const Workspace = named('Workspace', Type.Object({ ...FIELDS, ...versionField, labels: LABELS }));
/** Inside ingests. */
export const WorkspaceSummary = named('WorkspaceSummary', Type.Object(FIELDS));
/** `workspace` of stored files. */
export const WorkspaceRef = named('WorkspaceRef', Type.Object({ id: id(), name: Type.String() }));
/** Inside ingests: with the broker settings, secrets masked. */
export const WorkspaceWithSettings = named(
  'WorkspaceWithSettings',
  Type.Object({
    ...FIELDS,
    json_config: document('Its configuration, secrets masked.', WorkspaceConfiguration),
  }),
);
const WorkspaceDetails = named(
  'WorkspaceDetails',
  Type.Object({
    ...FIELDS,
    ...versionField,
    labels: LABELS,
    reason: orNull(
      Type.String({ description: 'Why no node reaches it: which ones looked, and what they met.' }),
    ),
    configuration: document('Secrets are masked.', WorkspaceConfiguration),
  }),
);

const DESCRIPTION = Type.String({ maxLength: 500 });
const BASE_URL = orNull(
  Type.String({
    maxLength: 2_000,
    pattern: '^$|^(?:https?|ftps?|s3)://\\S+$',
    description: 'Null for none.',
  }),
);
const CONFIGURATION = document('Where its files are.', WorkspaceConfiguration);

const EDITABLE = {
  title: Type.Optional(TITLE),
  description: Type.Optional(DESCRIPTION),
  base_url: Type.Optional(BASE_URL),
  is_active: Type.Optional(Type.Boolean()),
  labels: NEW_LABELS,
  configuration: Type.Optional(CONFIGURATION),
};
const WorkspaceCreate = named(
  'WorkspaceCreate',
  Type.Object(
    { ...EDITABLE, title: TITLE, configuration: CONFIGURATION, name: NEW_NAME },
    { examples: WORKSPACES },
  ),
);
const WorkspaceEdit = named('WorkspaceEdit', Type.Object(EDITABLE));
const WorkspaceCheck = named(
  'WorkspaceCheck',
  Type.Object({
    ...EDITABLE,
    title: TITLE,
    configuration: CONFIGURATION,
    name: Type.Optional(Type.String({ description: 'The name of the workspace whose change is checked.' })),
  }),
);

export type WorkspaceRecord = Static<typeof Workspace>;
export type WorkspaceDetailsRecord = Static<typeof WorkspaceDetails>;
export type WorkspaceCreateBody = Static<typeof WorkspaceCreate>;
export type WorkspaceEditBody = Static<typeof WorkspaceEdit>;

export interface WorkspaceRouteDeps {
  readonly workspaces: {
    list: List<typeof filters, typeof order, WorkspaceRecord>;
    /** Secrets masked. */
    find(id: number): Promise<WorkspaceDetailsRecord | undefined>;
    /** Throws AppError with every problem of the configuration. */
    create(
      body: WorkspaceCreateBody,
      asker: Asker,
    ): Promise<{ readonly id: number; readonly warnings: readonly Problem[] }>;
    /** Resolves with warnings. Throws NOT_FOUND, or as `create`. */
    edit(id: number, body: WorkspaceEditBody, nowMs: number): Promise<readonly Problem[]>;
    /** `name`: the workspace to be changed. */
    check(configuration: unknown, name: string | undefined): Promise<Findings>;
    /** The problems of the documents in a body, which may have any form. */
    documentProblems(raw: RawBody): Promise<readonly Problem[]>;
  };
}

const ORDER = ['name', 'title', 'description', 'base_url', 'is_active', 'created', 'deprecated'] as const;

const filters = {
  range: timeRange(),
  name: texts('Names.'),
  label: labelFilter,
};
const order = orderBy([...ORDER, 'last_modified'], ['name']);

const list = defineList({
  path: '/v6/workspaces/',
  summary: 'List workspaces',
  query: { ...filters, order },
  record: Workspace,
  records: ({ query }, { workspaces }: WorkspaceRouteDeps) =>
    workspaces.list(query, query.order, query.paging),
});

/** The path of one workspace. */
export const workspacePath = (id: number): string => `/v6/workspaces/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/workspaces/',
  summary: 'Create a workspace',
  repeats: 'keyed',
  body: WorkspaceCreate,
  documentProblems: (raw, { workspaces }: WorkspaceRouteDeps) => workspaces.documentProblems(raw),
  replies: { 201: WorkspaceDetails },
  async handle({ body, request }, { workspaces }: WorkspaceRouteDeps) {
    const { id: newId, warnings } = await workspaces.create(body, request);
    const details = existing(await workspaces.find(newId), 'workspace');
    return reply(201, details, { location: workspacePath(newId), ...warningHeader(warnings) });
  },
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/workspaces/{id}/',
  summary: 'Details of a workspace',
  params: { id: pathId },
  replies: { 200: WorkspaceDetails },
  async handle({ params }, { workspaces }: WorkspaceRouteDeps) {
    return reply(200, existing(await workspaces.find(params.id), 'workspace'));
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/workspaces/{id}/',
  summary: 'Edit a workspace',
  description:
    'Fields that are not given stay. A configuration replaces the old one; masked secrets are kept, and so is ' +
    '`http` where it is not given.',
  params: { id: pathId },
  body: WorkspaceEdit,
  documentProblems: (raw, { workspaces }: WorkspaceRouteDeps) => workspaces.documentProblems(raw),
  replies: { 204: NO_BODY },
  async handle({ params, body, request }, { workspaces }: WorkspaceRouteDeps) {
    const warnings = await workspaces.edit(params.id, body, request.nowMs);
    return reply(204, undefined, warningHeader(warnings));
  },
});

const validate = defineValidation({
  path: '/v6/workspaces/validation/',
  summary: 'Check a workspace before it is created or edited',
  body: WorkspaceCheck,
  handle({ raw }, { workspaces }: WorkspaceRouteDeps) {
    return workspaces.check(raw.configuration, storableText(raw.name));
  },
});

export const workspaceRoutes = [list, create, details, edit, validate];

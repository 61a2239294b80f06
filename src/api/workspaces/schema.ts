/** Schemas of workspaces, in answers and in bodies. */
import { type Static, Type } from '@sinclair/typebox';
import { LABELS, NEW_LABELS } from '../../http/request/labels.ts';
import { document, id, instant, NEW_NAME, named, orNull, TITLE } from '../../http/schema.ts';
import { WorkspaceConfiguration } from '../documents/workspace.ts';
import { WORKSPACES } from '../shared/examples.ts';
import { versionField } from '../shared/records.ts';

const FIELDS = {
  id: id(),
  name: Type.String({ description: 'Never changed.' }),
  title: Type.String(),
  description: Type.String(),
  base_url: orNull(
    Type.String({ description: 'URL prefix of its files, if they can be downloaded elsewhere.' }),
  ),
  is_active: Type.Boolean(),
  created: instant(),
  deprecated: orNull(instant('Since when it is not active.')),
  last_modified: instant(),
};

export const Workspace = named('Workspace', Type.Object({ ...FIELDS, ...versionField, labels: LABELS }));
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
export const WorkspaceDetails = named(
  'WorkspaceDetails',
  Type.Object({
    ...FIELDS,
    ...versionField,
    labels: LABELS,
    reason: orNull(
      Type.String({ description: 'Why no node reaches it: which nodes checked, and what they found.' }),
    ),
    configuration: document('Secrets are masked.', WorkspaceConfiguration),
  }),
);

/** An active workspace that no node reaches. */
export const UnreachedWorkspace = named(
  'UnreachedWorkspace',
  Type.Object({
    id: id(),
    name: Type.String(),
    title: Type.String(),
    reason: orNull(Type.String({ description: 'Which nodes checked, and what they found.' })),
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
export const WorkspaceCreate = named(
  'WorkspaceCreate',
  Type.Object(
    { ...EDITABLE, title: TITLE, configuration: CONFIGURATION, name: NEW_NAME },
    { examples: WORKSPACES },
  ),
);
export const WorkspaceEdit = named('WorkspaceEdit', Type.Object(EDITABLE));
export const WorkspaceCheck = named(
  'WorkspaceCheck',
  Type.Object({
    ...EDITABLE,
    title: TITLE,
    configuration: CONFIGURATION,
    name: Type.Optional(Type.String({ description: 'The name of the workspace whose change is checked.' })),
  }),
);

export type WorkspaceDetailsRecord = Static<typeof WorkspaceDetails>;
export type WorkspaceCreateBody = Static<typeof WorkspaceCreate>;
export type WorkspaceEditBody = Static<typeof WorkspaceEdit>;

/** The path of one workspace. */
export const workspacePath = (id: number): string => `/v6/workspaces/${id}/`;

// limit: files of a workspace that one call compares with the records; agents list as many at a time.
export const UNRECORDED_MAX = 1_000;

/** A part of a workspace, compared with the records. */
export const UnrecordedFiles = named(
  'UnrecordedFiles',
  Type.Object({
    checked_count: Type.Integer({
      minimum: 0,
      description: 'How many files of the workspace were compared with the records.',
    }),
    next_after: orNull(Type.String({ description: '`after` of the next call; null: no file follows.' })),
    results: Type.Array(
      Type.Object({
        file_path: Type.String(),
        file_size: Type.Integer({ minimum: 0, description: 'In bytes.' }),
        file_modified: instant(
          'When its content was last written. A time outside the years 1 to 9999 is the nearest within.',
        ),
      }),
      { description: 'Files without a record, in the order of paths.' },
    ),
  }),
);

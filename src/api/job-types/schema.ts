/** Schemas of job types, in answers and in bodies. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { LABELS, NEW_LABELS } from '../../http/request/labels.ts';
import { type PathPart, pathId } from '../../http/request/path-parameters.ts';
import { document, id, instant, integer, named, orNull, ValidationSchema } from '../../http/schema.ts';
import { Data } from '../documents/interface.ts';
import { JobConfiguration } from '../documents/job-configuration.ts';
import { SeedManifest, StoredManifest } from '../documents/manifest.ts';
import { JOB, JOB_TYPES } from '../shared/examples.ts';
import { JobTypeSummary, nullableInstant, nullableText, versionField } from '../shared/records.ts';
import { FollowingTypes } from '../type-updates/preview.ts';

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
    max_tries: integer({ minimum: 0, description: 'The most executions of a job, the first included.' }),
    manifest: document('With all defaults.', StoredManifest),
    configuration: document('Without secret settings.', JobConfiguration),
    recipe_types: Type.Array(RecipeTypeHead),
  }),
);

export const JobTypeName = named(
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
export const JobTypeRevision = named('JobTypeRevision', Type.Object(revisionFields));
export const JobTypeRevisionDetails = named(
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
    integer({ minimum: 0, maximum: 1_000, description: 'The most executions of a job; 3 if not given.' }),
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

/** Accepted and ignored, because people send back records that they have read. */
const IGNORED_NAME = Type.Optional(
  Type.String({ description: 'Without effect: the name is in the manifest.' }),
);

export const JobTypeCreate = named(
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

export const JobTypeTry = named(
  'JobTypeTry',
  Type.Object(
    {
      container_image: IMAGE,
      manifest: document('What is tried, as a job type has it.', SeedManifest),
      configuration: settableFields.configuration,
      input: document('Values for its inputs, as a job has them.', Data),
    },
    { examples: [{ ...JOB_TYPES[0], input: JOB.input }] },
  ),
);
export type JobTypeTryBody = Static<typeof JobTypeTry>;

export const JobTypeEdit = named(
  'JobTypeEdit',
  Type.Object({
    container_image: Type.Optional(IMAGE),
    manifest: Type.Optional(document('Makes a revision.', SeedManifest)),
    ...settableFields,
  }),
);
export type JobTypeEditBody = Static<typeof JobTypeEdit>;

export const JobTypeValidation = named(
  'JobTypeValidation',
  Type.Object({
    container_image: Type.Optional(IMAGE),
    manifest: document('What it is, takes and makes.', SeedManifest),
    ...settableFields,
    name: IGNORED_NAME,
  }),
);

export type JobTypeValidationBody = Static<typeof JobTypeValidation>;

export const JobTypeValidationResult = named(
  'JobTypeValidationResult',
  Type.Object({
    ...ValidationSchema.properties,
    effects: Type.Optional(
      orNull(
        Type.Object(
          {
            revision_num: integer({
              minimum: 1,
              description: 'The revision that it would have; the present one if nothing changes.',
            }),
            recipe_types: FollowingTypes,
          },
          { description: 'What the create or edit would do. Null while there are errors.' },
        ),
      ),
    ),
  }),
);

export function unknownJobType(name: string, version: string): AppError {
  return new AppError('NOT_FOUND', `there is no job type '${name}' version '${version}'`);
}

/** A revision's number. */
export const pathRevision: PathPart<number> = pathId;

/** The path of one version of a job type. */
export const jobTypePath = (name: string, version: string): string =>
  `/v6/job-types/${encodeURIComponent(name)}/${encodeURIComponent(version)}/`;

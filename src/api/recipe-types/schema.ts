/** Schemas of recipe types, in answers and in bodies. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import type { RecipeDefinition as RecipeDefinitionDocument } from '../../domain/recipe/recipe-definition.ts';
import { LABELS, NEW_LABELS } from '../../http/request/labels.ts';
import type { Findings } from '../../http/route.ts';
import {
  document,
  id,
  instant,
  integer,
  NEW_NAME,
  named,
  orNull,
  TITLE,
  ValidationSchema,
} from '../../http/schema.ts';
import { RecipeDefinition } from '../documents/recipe-definition.ts';
import { JobTypeDetails } from '../job-types/schema.ts';
import { OptionalDefinitionDifference } from '../shared/definition-difference.ts';
import { RECIPE_TYPE } from '../shared/examples.ts';
import { nullableInstant, RecipeTypeSummary, versionField } from '../shared/records.ts';
import { WorkEstimate } from '../shared/work-estimate.ts';
import { FollowingTypes } from '../type-updates/preview.ts';

const headFields = {
  id: id(),
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  is_active: Type.Boolean({ description: 'False once deprecated.' }),
  is_system: Type.Boolean(),
  revision_num: integer({ minimum: 1 }),
  created: instant(),
  deprecated: nullableInstant,
  last_modified: instant(),
};

export const RecipeType = named(
  'RecipeType',
  Type.Object({
    ...headFields,
    ...versionField,
    labels: LABELS,
    job_types: Type.Array(Type.Object({ name: Type.String(), version: Type.String() })),
    sub_recipe_types: Type.Array(Type.String({ description: 'Its name.' })),
  }),
);

export const RecipeTypeDetails = named(
  'RecipeTypeDetails',
  Type.Object({
    ...headFields,
    labels: LABELS,
    ...versionField,
    definition: document('With all defaults.', RecipeDefinition),
    job_types: Type.Array(JobTypeDetails),
    sub_recipe_types: Type.Array(
      Type.Object({ ...headFields, definition: document(undefined, RecipeDefinition) }),
    ),
    super_recipe_types: Type.Array(Type.Object(headFields)),
  }),
);

export const RecipeTypeRevision = named(
  'RecipeTypeRevision',
  Type.Object({
    id: id(),
    recipe_type: RecipeTypeSummary,
    revision_num: integer({ minimum: 1 }),
    created: instant(),
  }),
);
export const RecipeTypeRevisionDetails = named(
  'RecipeTypeRevisionDetails',
  Type.Object({
    id: id(),
    recipe_type: Type.Object(headFields),
    revision_num: integer({ minimum: 1 }),
    definition: document(undefined, RecipeDefinition),
    created: instant(),
  }),
);

const DESCRIPTION = Type.String({ maxLength: 500 });

export const RecipeTypeCreate = named(
  'RecipeTypeCreate',
  Type.Object(
    {
      title: TITLE,
      description: Type.Optional(DESCRIPTION),
      labels: NEW_LABELS,
      definition: document('Its nodes, and what feeds them.', RecipeDefinition),
      name: NEW_NAME,
    },
    { examples: [RECIPE_TYPE] },
  ),
);
export const RecipeTypeEdit = named(
  'RecipeTypeEdit',
  Type.Object({
    title: Type.Optional(TITLE),
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    definition: Type.Optional(document('Makes a revision.', RecipeDefinition)),
    is_active: Type.Optional(Type.Boolean({ description: 'False deprecates it and all that contain it.' })),
    auto_update: Type.Optional(
      Type.Boolean({ description: 'Whether recipe types that contain it take over the revision.' }),
    ),
  }),
);
export const RecipeTypeValidation = named(
  'RecipeTypeValidation',
  Type.Object({
    name: Type.Optional(Type.String({ description: 'The name of the recipe type that would be edited.' })),
    title: Type.Optional(TITLE),
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    definition: document(undefined, RecipeDefinition),
  }),
);
export const RecipeTypeValidationResult = named(
  'RecipeTypeValidationResult',
  Type.Object({
    ...ValidationSchema.properties,
    diff: document(
      'From the current revision to the definition; empty when there is nothing to compare.',
      OptionalDefinitionDifference,
    ),
    effects: Type.Optional(
      orNull(
        Type.Object(
          {
            revision_num: integer({
              minimum: 1,
              description: 'The revision that it would have; the present one if nothing changes.',
            }),
            recipe_types: FollowingTypes,
            one_recipe: WorkEstimate,
          },
          { description: 'What the create or edit would do. Null while there are errors.' },
        ),
      ),
    ),
  }),
);

export type RecipeTypeCreateBody = Static<typeof RecipeTypeCreate>;
export type RecipeTypeEditBody = Static<typeof RecipeTypeEdit>;

export interface RecipeTypeFindings extends Findings {
  readonly diff: Record<string, unknown>;
  /** As it would be saved; undefined while there are errors. */
  readonly definition?: RecipeDefinitionDocument;
}

export function unknownRecipeType(name: string): AppError {
  return new AppError('NOT_FOUND', `there is no recipe type '${name}'`);
}

export function unknownRevision(name: string, revision: number): AppError {
  return new AppError('NOT_FOUND', `there is no revision ${revision} of a recipe type '${name}'`);
}

/** The path of one recipe type. */
export const recipeTypePath = (name: string): string => `/v6/recipe-types/${encodeURIComponent(name)}/`;

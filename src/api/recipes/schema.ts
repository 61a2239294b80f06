/** Schemas of recipes, in answers and in bodies. */
import { type Static, Type } from '@sinclair/typebox';
import { JOB_STATUSES } from '../../domain/job/job.ts';
import { document, id, instant, integer, named, oneOf, orNull, ProblemSchema } from '../../http/schema.ts';
import { Data } from '../documents/interface.ts';
import { RecipeConfiguration } from '../documents/job-configuration.ts';
import { ForcedNodes, RecipeDefinition } from '../documents/recipe-definition.ts';
import { RECIPE, REPROCESSES } from '../shared/examples.ts';
import {
  BatchSummary,
  count,
  DataRecord,
  EventRecord,
  IdRef,
  JobStatus,
  jobCounts,
  nullableInstant,
  nullableText,
  RecipeSummary,
  RecipeTypeSummary,
  sourceFields,
  versionField,
} from '../shared/records.ts';

const countFields = { ...jobCounts, sub_recipes_total: count, sub_recipes_completed: count };

const bodyFields = {
  event: EventRecord,
  recipe: orNull(RecipeSummary),
  batch: orNull(BatchSummary),
  is_superseded: Type.Boolean(),
  superseded_recipe: orNull(IdRef),
};
const measureFields = {
  input_file_size: orNull(Type.Number({ description: 'MiB of the input files.' })),
  ...sourceFields,
  ...countFields,
  is_completed: Type.Boolean(),
  state: oneOf(
    JOB_STATUSES,
    'COMPLETED, or the most urgent state of its jobs: FAILED, RUNNING, QUEUED, BLOCKED, CANCELED, then PENDING.',
  ),
  is_halted: Type.Boolean({
    description:
      'It is not complete, and nothing of it will run unless somebody asks for it: it is superseded, or none of its ' +
      'jobs is queued or running, and some have failed or were canceled.',
  }),
  created: instant(),
  completed: nullableInstant,
  superseded: nullableInstant,
  last_modified: instant(),
};
const revisionFields = { id: id(), recipe_type: IdRef, revision_num: integer({ minimum: 1 }) };

export const Recipe = named(
  'Recipe',
  Type.Object({
    id: id(),
    ...versionField,
    recipe_type: RecipeTypeSummary,
    recipe_type_rev: Type.Object(revisionFields),
    ...bodyFields,
    ...measureFields,
  }),
);

const NodeType = Type.Union([
  Type.Object({
    node_type: Type.Literal('job'),
    job_type_name: Type.String(),
    job_type_version: Type.String(),
    job_type_revision: integer({ minimum: 1 }),
    job_id: id(),
    status: JobStatus,
  }),
  Type.Object({
    node_type: Type.Literal('recipe'),
    recipe_type_name: Type.String(),
    recipe_type_revision: integer({ minimum: 1 }),
    recipe_id: id(),
    is_completed: Type.Boolean(),
    ...countFields,
  }),
  Type.Object({
    node_type: Type.Literal('condition'),
    condition_id: id(),
    ...versionField,
    is_processed: Type.Boolean(),
    is_accepted: Type.Boolean(),
    reason: orNull(Type.String({ description: 'Why it was not accepted.' })),
  }),
]);

const RecipeInstance = Type.Record(
  Type.String(),
  Type.Object({ dependencies: Type.Array(Type.Object({ name: Type.String() })), node_type: NodeType }),
  { description: 'The nodes that exist so far, by name.' },
);

const JobTypeHead = Type.Object({
  id: id(),
  name: Type.String(),
  version: Type.String(),
  title: Type.String(),
  description: Type.String(),
  icon_code: nullableText,
});

const TypeDetails = Type.Object({
  ...RecipeTypeSummary.properties,
  is_active: Type.Boolean(),
  is_system: Type.Boolean(),
  created: instant(),
  deprecated: nullableInstant,
  last_modified: instant(),
});

export const RecipeDetails = named(
  'RecipeDetails',
  Type.Object({
    id: id(),
    ...versionField,
    recipe_type: TypeDetails,
    recipe_type_rev: Type.Object({
      ...revisionFields,
      recipe_type: TypeDetails,
      definition: document(undefined, RecipeDefinition),
      created: instant(),
    }),
    ...bodyFields,
    superseded_by_recipe: orNull(IdRef),
    input: DataRecord,
    configuration: orNull(document('Its own configuration.', RecipeConfiguration)),
    ...measureFields,
    details: Type.Object({
      nodes: RecipeInstance,
      job_types: Type.Array(JobTypeHead),
      sub_recipe_types: Type.Array(RecipeTypeSummary),
    }),
    job_types: Type.Array(JobTypeHead),
    sub_recipe_types: Type.Array(RecipeTypeSummary),
  }),
);

export const RecipeCreate = named(
  'RecipeCreate',
  Type.Object(
    {
      recipe_type_id: id('Its newest revision is started.'),
      input: document('Values for its input.', Data),
      configuration: Type.Optional(
        document('Applied on top of the configurations of the job types.', RecipeConfiguration),
      ),
    },
    { examples: [RECIPE] },
  ),
);

export const RecipeReprocess = named(
  'RecipeReprocess',
  Type.Object(
    {
      forced_nodes: Type.Optional(document('Which nodes run again besides those that changed.', ForcedNodes)),
      revision_num: Type.Optional(
        integer({
          minimum: 1,
          maximum: 2_147_483_647,
          description: 'The revision of the recipe type; the newest if absent.',
        }),
      ),
      all: Type.Optional(Type.Boolean({ description: 'The body itself may be the forced-nodes document.' })),
      nodes: Type.Optional(Type.Array(Type.String(), { maxItems: 1_000 })),
      sub_recipes: Type.Optional(
        document('By the names of recipe nodes.', Type.Record(Type.String(), ForcedNodes)),
      ),
    },
    { examples: REPROCESSES },
  ),
);
export type RecipeDetailsRecord = Static<typeof RecipeDetails>;
export type RecipeCreateBody = Static<typeof RecipeCreate>;
export type RecipeReprocessBody = Static<typeof RecipeReprocess>;

export const ReprocessPreview = named(
  'ReprocessPreview',
  Type.Object({
    nodes: Type.Object(
      { made: Type.Array(Type.String()), kept: Type.Array(Type.String()) },
      {
        description:
          'Nodes of the new recipe: created again, or kept with their jobs. Other nodes wait for a condition.',
      },
    ),
    new_jobs: count,
    new_recipes: count,
    superseded_jobs: count,
    canceled_job_count: count,
    canceled_job_ids: Type.Array(id(), { description: 'Jobs that are not done: the first 100.' }),
    warnings: Type.Array(ProblemSchema),
  }),
);
export type ReprocessPreviewRecord = Static<typeof ReprocessPreview>;

/** The path of one recipe. */
export const recipePath = (id: number): string => `/v6/recipes/${id}/`;

/** `/v6/recipes/`: runs of recipe types on given data. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import type { RecipeTypeRevision } from '../../domain/recipe/type-revisions.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List } from '../../http/list.ts';
import { dryRun } from '../../http/request/dry-run.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { flag, integers, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { type Asker, defineRoute, type RawBody, reply } from '../../http/route.ts';
import { document, id, instant, integer, NO_BODY, named, orNull, ProblemSchema } from '../../http/schema.ts';
import { Data } from '../documents/interface.ts';
import { RecipeConfiguration } from '../documents/job-configuration.ts';
import { ForcedNodes, RecipeDefinition } from '../documents/recipe-definition.ts';
import { sourceFilters } from '../jobs/routes.ts';
import { RECIPE, REPROCESSES } from '../shared/examples.ts';
import {
  BatchSummary,
  count,
  DataRecord,
  EventRecord,
  IdRef,
  JobStatus,
  nullableInstant,
  nullableText,
  RecipeSummary,
  RecipeTypeSummary,
  sourceFields,
  versionField,
} from '../shared/records.ts';
import { warningHeader } from '../shared/warnings.ts';

const countFields = {
  jobs_total: count,
  jobs_pending: count,
  jobs_blocked: count,
  jobs_queued: count,
  jobs_running: count,
  jobs_failed: count,
  jobs_completed: count,
  jobs_canceled: count,
  sub_recipes_total: count,
  sub_recipes_completed: count,
};

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
  created: instant(),
  completed: nullableInstant,
  superseded: nullableInstant,
  last_modified: instant(),
};
const revisionFields = { id: id(), recipe_type: IdRef, revision_num: integer({ minimum: 1 }) };

const Recipe = named(
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

const RecipeDetails = named(
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

const RecipeCreate = named(
  'RecipeCreate',
  Type.Object(
    {
      recipe_type_id: id('Its newest revision is started.'),
      input: document('Values for its input.', Data),
      configuration: Type.Optional(
        document('Goes on top of the configurations of the job types.', RecipeConfiguration),
      ),
    },
    { examples: [RECIPE] },
  ),
);

const RecipeReprocess = named(
  'RecipeReprocess',
  Type.Object(
    {
      forced_nodes: Type.Optional(document('Which nodes run again besides those that differ.', ForcedNodes)),
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
export type RecipeReprocessBody = Static<typeof RecipeReprocess>;

const ReprocessPreview = named(
  'ReprocessPreview',
  Type.Object({
    nodes: Type.Object(
      { made: Type.Array(Type.String()), kept: Type.Array(Type.String()) },
      {
        description:
          'Nodes of the new recipe: made anew, or kept with their jobs. Others wait for a condition.',
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

export interface RecipeRouteDeps {
  readonly recipes: {
    list: List<typeof filters, typeof order, Static<typeof Recipe>>;
    find(id: number): Promise<Static<typeof RecipeDetails> | undefined>;
    /**
     * Starts a recipe; resolves once it is committed, with the recipe as committed. Throws UNKNOWN_REFERENCE or
     * INVALID_REQUEST.
     */
    create(
      body: Static<typeof RecipeCreate>,
      asker: Asker,
    ): Promise<{ readonly record: Static<typeof RecipeDetails>; readonly warnings: readonly Problem[] }>;
    /**
     * Replaces it by a new recipe; resolves with warnings once that is committed. Throws NOT_FOUND, STATE_CONFLICT or
     * INVALID_REQUEST.
     */
    reprocess(id: number, body: RecipeReprocessBody, asker: Asker): Promise<readonly Problem[]>;
    /** What it would do; throws as `reprocess`. */
    previewReprocess(id: number, body: RecipeReprocessBody, nowMs: number): Promise<ReprocessPreviewRecord>;
    /**
     * The revision that `reprocess` takes: the requested one, or the newest. Undefined if there is no such revision or
     * recipe.
     */
    nextRevision(id: number, revisionNum: number | undefined): Promise<RecipeTypeRevision | undefined>;
    /** The problems of the forced nodes in a body, which may have any form. */
    reprocessProblems(raw: RawBody): readonly Problem[];
    /** The problems of the documents in a body, which may have any form. */
    documentProblems(raw: RawBody): Promise<readonly Problem[]>;
  };
}

/** `recipe_type`: by its name. */
export const RECIPE_ORDER = [...scalarFields(Recipe), 'recipe_type'] as const;

const ids = (records: string) => integers(`Ids of ${records}.`, { minimum: 1 });

const filters = {
  ...sourceFilters,
  recipe_id: ids('recipes'),
  recipe_type_id: ids('recipe types'),
  recipe_type_name: texts('Names of recipe types.'),
  batch_id: ids('batches'),
  root_recipe_id: ids('recipes: all below them are listed, at any depth, but not they themselves'),
  is_superseded: flag('True: superseded recipes only; false: none of them.'),
  is_completed: flag('True: completed recipes only; false: none of them.'),
};
const order = orderBy(RECIPE_ORDER, ['last_modified']);

const list = defineList({
  path: '/v6/recipes/',
  summary: 'List recipes',
  description: '`started` and `ended` are compared with `last_modified`.',
  query: { ...filters, order },
  record: Recipe,
  records: ({ query }, { recipes }: RecipeRouteDeps) => recipes.list(query, query.order, query.paging),
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/recipes/{id}/',
  summary: 'Show a recipe and its nodes',
  params: { id: pathId },
  replies: { 200: RecipeDetails },
  async handle({ params }, { recipes }: RecipeRouteDeps) {
    const found = await recipes.find(params.id);
    if (found === undefined) throw new AppError('NOT_FOUND', `there is no recipe ${params.id}`);
    return reply(200, found);
  },
});

/** The path of one recipe. */
export const recipePath = (id: number): string => `/v6/recipes/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/recipes/',
  summary: 'Start a recipe',
  waitsForEntry: true,
  repeats: 'keyed',
  hasLargeBody: true,
  body: RecipeCreate,
  documentProblems: (raw, { recipes }: RecipeRouteDeps) => recipes.documentProblems(raw),
  replies: { 201: RecipeDetails },
  async handle({ body, request }, { recipes }: RecipeRouteDeps) {
    const { record, warnings } = await recipes.create(body, request);
    return reply(201, record, { location: recipePath(record.id), ...warningHeader(warnings) });
  },
});

const reprocess = defineRoute({
  method: 'POST',
  path: '/v6/recipes/{id}/reprocess/',
  summary: 'Reprocess a recipe',
  description:
    'A new recipe takes its place. Nodes that neither changed nor are forced keep their jobs, others are superseded.',
  repeats: 'keyed',
  hasLargeBody: true,
  params: { id: pathId },
  body: RecipeReprocess,
  documentProblems: async (raw, { recipes }: RecipeRouteDeps) => recipes.reprocessProblems(raw),
  query: { dry_run: dryRun },
  replies: { 200: ReprocessPreview, 202: NO_BODY },
  async handle({ params, body, query, request }, { recipes }: RecipeRouteDeps) {
    if (query.dry_run === true)
      return reply(200, await recipes.previewReprocess(params.id, body, request.nowMs));
    const warnings = await recipes.reprocess(params.id, body, request);
    return reply(202, undefined, warningHeader(warnings));
  },
});

export const recipeRoutes = [list, create, get, reprocess];

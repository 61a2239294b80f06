/** Schemas of batches, in answers and in bodies. */
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { BATCH_STATUSES } from '../../domain/batch/batch.ts';
import type { Findings } from '../../http/route.ts';
import {
  document,
  id,
  instant,
  integer,
  named,
  OPTIONAL_TITLE,
  oneOf,
  orNull,
  ValidationSchema,
} from '../../http/schema.ts';
import { BatchConfiguration, BatchDefinition } from '../documents/batch.ts';
import { RecipeDefinition } from '../documents/recipe-definition.ts';
import { DefinitionDifference } from '../shared/definition-difference.ts';
import {
  BatchSummary,
  count,
  EventRecord,
  IdRef,
  jobCounts,
  nullableInstant,
  RecipeTypeSummary,
  versionField,
} from '../shared/records.ts';

const recipeCounts = { recipes_estimated: count, recipes_total: count, recipes_completed: count };
const revisionFields = { id: id(), recipe_type: IdRef, revision_num: integer({ minimum: 1 }) };
const headFields = {
  id: id(),
  ...versionField,
  title: Type.String(),
  description: Type.String(),
  recipe_type: RecipeTypeSummary,
};
const bodyFields = {
  status: oneOf(
    BATCH_STATUSES,
    'FAILED or CANCELED: it is not complete, none of its jobs is pending, queued or running, and some have failed, ' +
      'or else were canceled.',
  ),
  event: EventRecord,
  is_superseded: Type.Boolean({ description: 'A newer batch has reprocessed its recipes.' }),
  root_batch: orNull(BatchSummary),
  superseded_batch: orNull(BatchSummary),
  is_creation_done: Type.Boolean({ description: 'All its recipes are created.' }),
  ...jobCounts,
  ...recipeCounts,
  created: instant(),
  superseded: nullableInstant,
  last_modified: instant(),
};

export const Batch = named(
  'Batch',
  Type.Object({ ...headFields, recipe_type_rev: Type.Object(revisionFields), ...bodyFields }),
);

const span = orNull(
  Type.String({ description: 'An ISO-8601 duration of whole seconds; null if no job has ended.' }),
);
const JobMetrics = Type.Object({
  ...jobCounts,
  min_seed_duration: span,
  avg_seed_duration: span,
  max_seed_duration: span,
  min_job_duration: span,
  avg_job_duration: span,
  max_job_duration: span,
});

export const BatchDetails = named(
  'BatchDetails',
  Type.Object({
    ...headFields,
    recipe_type_rev: Type.Object({
      ...revisionFields,
      definition: document(undefined, RecipeDefinition),
      created: instant(),
    }),
    ...bodyFields,
    definition: document('With all defaults.', BatchDefinition),
    configuration: document(undefined, BatchConfiguration),
    recipes_skipped: integer({
      minimum: 0,
      description: 'Members, or recipes of the previous batch, that could not become a recipe.',
    }),
    job_metrics: Type.Record(Type.String(), JobMetrics, { description: 'By the name of a job node.' }),
  }),
);

/** The schema of a comparison: for each figure a list of its values. */
function inOrder(figures: TProperties): TObject {
  const description = 'In the order of the batches.';
  const lists = Object.entries(figures).map(([name, figure]) => [name, Type.Array(figure, { description })]);
  return Type.Object(Object.fromEntries(lists));
}

const batchFigures = inOrder({ ...jobCounts, ...recipeCounts });
// Counts are null for a batch without the node. Durations can always be null.
const nullableCounts = Object.fromEntries(Object.keys(jobCounts).map((name) => [name, orNull(count)]));
const nodeFigures = inOrder({ ...JobMetrics.properties, ...nullableCounts });
export const BatchComparison = named(
  'BatchComparison',
  Type.Object({
    batches: Type.Array(BatchSummary),
    metrics: Type.Object({
      ...batchFigures.properties,
      job_metrics: Type.Record(Type.String(), nodeFigures, {
        description: 'By the name of a job node; null for a batch without the node.',
      }),
    }),
  }),
);

const DESCRIPTION = Type.String({ maxLength: 10_000 });
export const BatchCreate = named(
  'BatchCreate',
  Type.Object({
    title: OPTIONAL_TITLE,
    description: Type.Optional(DESCRIPTION),
    recipe_type_id: id('Its newest revision is used.'),
    supersedes: Type.Optional(Type.Boolean({ description: 'The same as in the definition.' })),
    definition: document('What it runs on.', BatchDefinition),
    configuration: Type.Optional(document('How its recipes run.', BatchConfiguration)),
  }),
);
export const BatchEdit = named(
  'BatchEdit',
  Type.Object({
    title: OPTIONAL_TITLE,
    description: Type.Optional(DESCRIPTION),
    configuration: Type.Optional(
      document('Replaces the configuration. Jobs that are queued keep the old one.', BatchConfiguration),
    ),
  }),
);
export const BatchEffects = named(
  'BatchEffects',
  Type.Object(
    {
      recipes: orNull(count),
      jobs: orNull(count),
      processor_hours: orNull(
        Type.Number({
          description: 'By the mean of recent executions; null if no execution was measured.',
        }),
      ),
      jobs_without_figures: orNull(count),
    },
    {
      description:
        'At most what the batch would create. Null: not known, because of errors or because it depends on earlier ' +
        'recipes.',
    },
  ),
);
export const BatchValidationResult = named(
  'BatchValidationResult',
  Type.Object({
    ...ValidationSchema.properties,
    recipes_estimated: orNull(count),
    recipe_type: orNull(RecipeTypeSummary),
    prev_batch: Type.Optional(
      Type.Object({
        recipe_type_rev: Type.Object(revisionFields),
        diff: document(undefined, DefinitionDifference),
      }),
    ),
    effects: Type.Optional(BatchEffects),
  }),
);

export type BatchDetailsRecord = Static<typeof BatchDetails>;
export type BatchComparison = Static<typeof BatchComparison>;
export type BatchCreateBody = Static<typeof BatchCreate>;
export type BatchEffects = Static<typeof BatchEffects>;
export type BatchEditBody = Static<typeof BatchEdit>;

export interface BatchFindings extends Findings {
  readonly recipes_estimated: number | null;
  readonly recipe_type: Static<typeof RecipeTypeSummary> | null;
  readonly effects: BatchEffects;
  readonly prev_batch?: { readonly recipe_type_rev: object; readonly diff: object };
}

/** The path of one batch. */
export const batchPath = (id: number): string => `/v6/batches/${id}/`;

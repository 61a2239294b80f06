/** `/v6/batches/`: many recipes of one type, over a dataset or over a previous batch. */
import { type Static, Type } from '@sinclair/typebox';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List } from '../../http/list.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { flag, integers } from '../../http/request/parameters.ts';
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
import {
  document,
  id,
  instant,
  integer,
  NO_BODY,
  named,
  OPTIONAL_TITLE,
  orNull,
  ValidationSchema,
} from '../../http/schema.ts';
import { BatchConfiguration, BatchDefinition } from '../documents/batch.ts';
import { RecipeDefinition } from '../documents/recipe-definition.ts';
import { existing } from '../shared/existing.ts';
import {
  BatchSummary,
  count,
  EventRecord,
  IdRef,
  nullableInstant,
  RecipeTypeSummary,
  versionField,
} from '../shared/records.ts';
import { warningHeader } from '../shared/warnings.ts';

const JOB_COUNTS = [
  ...['jobs_total', 'jobs_pending', 'jobs_blocked', 'jobs_queued', 'jobs_running', 'jobs_failed'],
  ...['jobs_completed', 'jobs_canceled'],
];
const jobCounts = {
  jobs_total: count,
  jobs_pending: count,
  jobs_blocked: count,
  jobs_queued: count,
  jobs_running: count,
  jobs_failed: count,
  jobs_completed: count,
  jobs_canceled: count,
};
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
  event: EventRecord,
  is_superseded: Type.Boolean({ description: 'Done again by a newer batch.' }),
  root_batch: orNull(BatchSummary),
  superseded_batch: orNull(BatchSummary),
  is_creation_done: Type.Boolean({ description: 'All its recipes are there.' }),
  ...jobCounts,
  ...recipeCounts,
  created: instant(),
  superseded: nullableInstant,
  last_modified: instant(),
};

const Batch = named(
  'Batch',
  Type.Object({ ...headFields, recipe_type_rev: Type.Object(revisionFields), ...bodyFields }),
);

const span = orNull(Type.String({ description: 'An ISO-8601 duration of whole seconds; null: none ended.' }));
const JobMetrics = Type.Object({
  ...jobCounts,
  min_seed_duration: span,
  avg_seed_duration: span,
  max_seed_duration: span,
  min_job_duration: span,
  avg_job_duration: span,
  max_job_duration: span,
});

const BatchDetails = named(
  'BatchDetails',
  Type.Object({
    ...headFields,
    recipe_type_rev: Type.Object({
      ...revisionFields,
      definition: document(undefined, RecipeDefinition),
      created: instant(),
    }),
    ...bodyFields,
    definition: document('As it was given, with defaults.', BatchDefinition),
    configuration: document(undefined, BatchConfiguration),
    recipes_skipped: integer({
      minimum: 0,
      description: 'Members, or recipes of the previous batch, that could not become a recipe.',
    }),
    job_metrics: Type.Record(Type.String(), JobMetrics, { description: 'By the name of a job node.' }),
  }),
);

const listOf = Type.Array(Type.Unsafe<unknown>({}), { description: 'In the order of the batches.' });
const BatchComparison = named(
  'BatchComparison',
  Type.Object({
    batches: Type.Array(BatchSummary),
    metrics: Type.Object({
      ...Object.fromEntries([...JOB_COUNTS, ...Object.keys(recipeCounts)].map((name) => [name, listOf])),
      job_metrics: Type.Record(Type.String(), Type.Record(Type.String(), listOf)),
    }),
  }),
);

const DESCRIPTION = Type.String({ maxLength: 10_000 });
const BatchCreate = named(
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
const BatchEdit = named(
  'BatchEdit',
  Type.Object({
    title: OPTIONAL_TITLE,
    description: Type.Optional(DESCRIPTION),
    configuration: Type.Optional(
      document('Replaces the configuration; jobs that are queued keep theirs.', BatchConfiguration),
    ),
  }),
);
const BatchEffects = named(
  'BatchEffects',
  Type.Object(
    {
      recipes: orNull(count),
      jobs: orNull(count),
      processor_hours: orNull(
        Type.Number({ description: 'By the mean of recent executions; null where none has figures.' }),
      ),
      jobs_without_figures: orNull(count),
    },
    {
      description:
        'What the batch would make at most. Null: it depends on earlier recipes, or on what is wrong.',
    },
  ),
);
const BatchValidationResult = named(
  'BatchValidationResult',
  Type.Object({
    ...ValidationSchema.properties,
    recipes_estimated: orNull(count),
    recipe_type: orNull(RecipeTypeSummary),
    prev_batch: Type.Optional(
      Type.Object({ recipe_type_rev: Type.Object(revisionFields), diff: document() }),
    ),
    effects: Type.Optional(BatchEffects),
  }),
);

export type BatchEffects = Static<typeof BatchEffects>;
export type BatchEditBody = Static<typeof BatchEdit>;

export interface BatchFindings extends Findings {
  readonly recipes_estimated: number | null;
  readonly recipe_type: Static<typeof RecipeTypeSummary> | null;
  readonly effects: BatchEffects;
  readonly prev_batch?: { readonly recipe_type_rev: object; readonly diff: object };
}

export interface BatchRouteDeps {
  readonly batches: {
    list: List<typeof filters, typeof order, Static<typeof Batch>>;
    find(id: number): Promise<Static<typeof BatchDetails> | undefined>;
    /** Compares the batches of the given batch's chain. */
    compare(id: number): Promise<Static<typeof BatchComparison> | undefined>;
    /** Creates a batch; resolves once it is committed, with the batch as committed. Throws INVALID_REQUEST. */
    create(
      body: Static<typeof BatchCreate>,
      asker: Asker,
    ): Promise<{ readonly record: Static<typeof BatchDetails>; readonly warnings: readonly Problem[] }>;
    /** Throws NOT_FOUND or INVALID_REQUEST. Resolves with warnings. */
    edit(id: number, body: BatchEditBody): Promise<readonly Problem[]>;
    validate(raw: RawBody): Promise<BatchFindings>;
    /** The problems of the documents in a body, which may have any form. */
    documentProblems(raw: RawBody): Promise<readonly Problem[]>;
    configurationProblems(raw: RawBody): readonly Problem[];
  };
}

/** `recipe_type`: by its name. */
export const BATCH_ORDER = [...scalarFields(Batch), 'recipe_type'] as const;

const filters = {
  range: timeRange(),
  batch_id: integers('Ids of batches.', { minimum: 1 }),
  recipe_type_id: integers('Ids of recipe types.', { minimum: 1 }),
  root_batch_id: integers('Ids of the batches that chains began with.', { minimum: 1 }),
  is_creation_done: flag('True: batches that have all their recipes; false: none of them.'),
  is_superseded: flag('True: superseded batches only; false: none of them.'),
};
const order = orderBy(BATCH_ORDER, ['id']);

const list = defineList({
  path: '/v6/batches/',
  summary: 'List batches',
  description: '`started` and `ended` are compared with `last_modified`.',
  query: { ...filters, order },
  record: Batch,
  records: ({ query }, { batches }: BatchRouteDeps) => batches.list(query, query.order, query.paging),
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/batches/{id}/',
  summary: 'Show a batch with the metrics of its jobs',
  params: { id: pathId },
  replies: { 200: BatchDetails },
  async handle({ params }, { batches }: BatchRouteDeps) {
    return reply(200, existing(await batches.find(params.id), 'batch'));
  },
});

const compare = defineRoute({
  method: 'GET',
  path: '/v6/batches/comparison/{id}/',
  summary: 'Compare the batches of a chain',
  params: { id: pathId },
  replies: { 200: BatchComparison },
  async handle({ params }, { batches }: BatchRouteDeps) {
    return reply(200, existing(await batches.compare(params.id), 'batch'));
  },
});

/** The path of one batch. */
export const batchPath = (id: number): string => `/v6/batches/${id}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/batches/',
  summary: 'Create a batch',
  repeats: 'keyed',
  hasLargeBody: true,
  body: BatchCreate,
  documentProblems: (raw, { batches }: BatchRouteDeps) => batches.documentProblems(raw),
  replies: { 201: BatchDetails },
  async handle({ body, request }, { batches }: BatchRouteDeps) {
    const { record, warnings } = await batches.create(body, request);
    return reply(201, record, { location: batchPath(record.id), ...warningHeader(warnings) });
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/batches/{id}/',
  summary: 'Edit a batch',
  params: { id: pathId },
  hasLargeBody: true,
  body: BatchEdit,
  documentProblems: async (raw, { batches }: BatchRouteDeps) => batches.configurationProblems(raw),
  replies: { 204: NO_BODY },
  async handle({ params, body }, { batches }: BatchRouteDeps) {
    return reply(204, undefined, warningHeader(await batches.edit(params.id, body)));
  },
});

const validate = defineValidation({
  path: '/v6/batches/validation/',
  summary: 'Check a batch',
  hasLargeBody: true,
  body: BatchCreate,
  result: BatchValidationResult,
  async handle({ raw }, { batches }: BatchRouteDeps) {
    const { errors, warnings, ...extra } = await batches.validate(raw);
    return { errors, warnings, extra };
  },
});

export const batchRoutes = [list, create, validate, compare, get, edit];

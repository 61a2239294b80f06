/** `/v6/recipe-types/`: workflows of jobs, sub-recipes and conditions. */
import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/validation.ts';
import { defineList, type List, type Listed } from '../../http/list.ts';
import { LABELS, labelFilter, NEW_LABELS } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import type { Paging } from '../../http/request/paging.ts';
import { flag, texts } from '../../http/request/parameters.ts';
import { pathText } from '../../http/request/path-parameters.ts';
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
  NEW_NAME,
  NO_BODY,
  named,
  TITLE,
  ValidationSchema,
} from '../../http/schema.ts';
import { RecipeDefinition } from '../documents/recipe-definition.ts';
import { JobTypeDetails, pathRevision } from '../job-types/routes.ts';
import { RECIPE_TYPE } from '../shared/examples.ts';
import { nullableInstant, RecipeTypeSummary, versionField } from '../shared/records.ts';
import { warningHeader } from '../shared/warnings.ts';

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

const RecipeType = named(
  'RecipeType',
  Type.Object({
    ...headFields,
    ...versionField,
    labels: LABELS,
    job_types: Type.Array(Type.Object({ name: Type.String(), version: Type.String() })),
    sub_recipe_types: Type.Array(Type.String({ description: 'Its name.' })),
  }),
);

const RecipeTypeDetails = named(
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

const RecipeTypeRevision = named(
  'RecipeTypeRevision',
  Type.Object({
    id: id(),
    recipe_type: RecipeTypeSummary,
    revision_num: integer({ minimum: 1 }),
    created: instant(),
  }),
);
const RecipeTypeRevisionDetails = named(
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

const RecipeTypeCreate = named(
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
const RecipeTypeEdit = named(
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
const RecipeTypeValidation = named(
  'RecipeTypeValidation',
  Type.Object({
    name: Type.Optional(Type.String({ description: 'The name of the recipe type that would be edited.' })),
    title: Type.Optional(TITLE),
    description: Type.Optional(DESCRIPTION),
    labels: NEW_LABELS,
    definition: document(undefined, RecipeDefinition),
  }),
);
const RecipeTypeValidationResult = named(
  'RecipeTypeValidationResult',
  Type.Object({
    ...ValidationSchema.properties,
    diff: document('From the current revision to the definition; empty when there is nothing to compare.'),
  }),
);

export interface RecipeTypeFindings extends Findings {
  readonly diff: Record<string, unknown>;
}

export interface RecipeTypeRouteDeps {
  readonly recipeTypes: {
    list: List<typeof filters, typeof order, Static<typeof RecipeType>>;
    find(name: string): Promise<Static<typeof RecipeTypeDetails> | undefined>;
    revisions(name: string, paging: Paging): Promise<Listed<Static<typeof RecipeTypeRevision>> | undefined>;
    revision(
      name: string,
      revisionNum: number,
    ): Promise<Static<typeof RecipeTypeRevisionDetails> | undefined>;
    /** Throws INVALID_DEFINITION. */
    create(
      body: Static<typeof RecipeTypeCreate>,
      asker: Asker,
    ): Promise<{
      readonly record: Static<typeof RecipeTypeDetails>;
      readonly warnings: readonly Problem[];
    }>;
    /** Throws NOT_FOUND too. Resolves with warnings. */
    edit(name: string, body: Static<typeof RecipeTypeEdit>, nowMs: number): Promise<readonly Problem[]>;
    validate(raw: RawBody): Promise<RecipeTypeFindings>;
    /** The problems of the documents in a body, which may have any form. */
    documentProblems(raw: RawBody): Promise<readonly Problem[]>;
  };
}

export const RECIPE_TYPE_ORDER = [
  ...(['id', 'name', 'title', 'description', 'is_active', 'is_system', 'revision_num'] as const),
  ...(['created', 'deprecated', 'last_modified'] as const),
] as const;

function unknownType(name: string): AppError {
  return new AppError('NOT_FOUND', `there is no recipe type '${name}'`);
}

const filters = {
  keyword: texts('Part of the name, title or description.'),
  is_active: flag('True: active; false: deprecated.'),
  is_system: flag('True: system types; false: those of users.'),
  label: labelFilter,
};
const order = orderBy(RECIPE_TYPE_ORDER, ['name']);

const list = defineList({
  path: '/v6/recipe-types/',
  summary: 'List recipe types',
  query: { ...filters, order },
  record: RecipeType,
  records: ({ query }, { recipeTypes }: RecipeTypeRouteDeps) =>
    recipeTypes.list(query, query.order, query.paging),
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/recipe-types/{name}/',
  summary: 'Show a recipe type',
  params: { name: pathText },
  replies: { 200: RecipeTypeDetails },
  async handle({ params: { name } }, { recipeTypes }: RecipeTypeRouteDeps) {
    const found = await recipeTypes.find(name);
    if (found === undefined) throw unknownType(name);
    return reply(200, found);
  },
});

const listRevisions = defineList({
  path: '/v6/recipe-types/{name}/revisions/',
  summary: 'List revisions of a recipe type',
  params: { name: pathText },
  record: RecipeTypeRevision,
  async records({ params: { name }, query }, { recipeTypes }: RecipeTypeRouteDeps) {
    const listed = await recipeTypes.revisions(name, query.paging);
    if (listed === undefined) throw unknownType(name);
    return listed;
  },
});

const getRevision = defineRoute({
  method: 'GET',
  path: '/v6/recipe-types/{name}/revisions/{revision_num}/',
  summary: 'Show a revision of a recipe type',
  params: { name: pathText, revision_num: pathRevision },
  replies: { 200: RecipeTypeRevisionDetails },
  async handle({ params: { name, revision_num } }, { recipeTypes }: RecipeTypeRouteDeps) {
    const found = await recipeTypes.revision(name, revision_num);
    if (found === undefined) throw new AppError('NOT_FOUND', `there is no revision ${revision_num} of it`);
    return reply(200, found);
  },
});

/** The path of one recipe type. */
export const recipeTypePath = (name: string): string => `/v6/recipe-types/${encodeURIComponent(name)}/`;

const create = defineRoute({
  method: 'POST',
  path: '/v6/recipe-types/',
  summary: 'Create a recipe type',
  repeats: 'keyed',
  hasLargeBody: true,
  body: RecipeTypeCreate,
  documentProblems: (raw, { recipeTypes }: RecipeTypeRouteDeps) => recipeTypes.documentProblems(raw),
  replies: { 201: RecipeTypeDetails },
  async handle({ body, request }, { recipeTypes }: RecipeTypeRouteDeps) {
    const { record, warnings } = await recipeTypes.create(body, request);
    return reply(201, record, { location: recipeTypePath(record.name), ...warningHeader(warnings) });
  },
});

const edit = defineRoute({
  method: 'PATCH',
  path: '/v6/recipe-types/{name}/',
  summary: 'Edit a recipe type',
  params: { name: pathText },
  hasLargeBody: true,
  body: RecipeTypeEdit,
  documentProblems: (raw, { recipeTypes }: RecipeTypeRouteDeps) => recipeTypes.documentProblems(raw),
  replies: { 204: NO_BODY },
  async handle({ params: { name }, body, request }, { recipeTypes }: RecipeTypeRouteDeps) {
    return reply(204, undefined, warningHeader(await recipeTypes.edit(name, body, request.nowMs)));
  },
});

const validate = defineValidation({
  path: '/v6/recipe-types/validation/',
  summary: 'Check a recipe type',
  hasLargeBody: true,
  body: RecipeTypeValidation,
  result: RecipeTypeValidationResult,
  async handle({ raw }, { recipeTypes }: RecipeTypeRouteDeps) {
    const { diff, ...found } = await recipeTypes.validate(raw);
    return { ...found, extra: { diff } };
  },
});

export const recipeTypeRoutes = [list, create, validate, get, edit, listRevisions, getRevision];

/** `/v6/recipe-types/`: workflows of jobs, sub-recipes and conditions. */
import { storableText } from '../../domain/document/json-value.ts';
import { defineList } from '../../http/list.ts';
import { labelFilter } from '../../http/request/labels.ts';
import { orderBy } from '../../http/request/ordering.ts';
import { flag, integers, texts } from '../../http/request/parameters.ts';
import { pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, defineValidation, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import {
  findRecipeType,
  findRecipeTypeRevision,
  listRecipeTypeRevisions,
  listRecipeTypes,
} from '../../store/recipe-type/list.ts';
import { pathRevision } from '../job-types/schema.ts';
import type { Parts } from '../parts.ts';
import { warningHeader } from '../shared/warnings.ts';

import { recipeTypeEffects } from './effects.ts';

import { difference, grid, typeGraph } from './graph.ts';

import {
  RecipeType,
  RecipeTypeCreate,
  RecipeTypeDetails,
  RecipeTypeEdit,
  RecipeTypeRevision,
  RecipeTypeRevisionDetails,
  RecipeTypeValidation,
  RecipeTypeValidationResult,
  recipeTypePath,
  unknownRecipeType,
  unknownRevision,
} from './schema.ts';
import { addRecipeType, changeRecipeType, checkRecipeType, type RecipeTypeParts } from './service.ts';

export const RECIPE_TYPE_ORDER = [
  ...(['id', 'name', 'title', 'description', 'is_active', 'is_system', 'revision_num'] as const),
  ...(['created', 'deprecated', 'last_modified'] as const),
] as const;

const filters = {
  keyword: texts('Part of the name, title or description.'),
  id: integers('Ids of recipe types.', { minimum: 1 }),
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
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listRecipeTypes(sql, query, query.order, query.paging, shown),
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/recipe-types/{name}/',
  summary: 'Show a recipe type',
  params: { name: pathText },
  replies: { 200: RecipeTypeDetails },
  async handle({ params: { name } }, { sql }: Parts<'sql'>) {
    const found = await findRecipeType(sql, name);
    if (found === undefined) throw unknownRecipeType(name);
    return reply(200, found);
  },
});

const listRevisions = defineList({
  path: '/v6/recipe-types/{name}/revisions/',
  summary: 'List revisions of a recipe type',
  params: { name: pathText },
  record: RecipeTypeRevision,
  async records({ params: { name }, query, shown }, { sql }: Parts<'sql'>) {
    const listed = await listRecipeTypeRevisions(sql, name, query.paging, shown);
    if (listed === undefined) throw unknownRecipeType(name);
    return listed;
  },
});

const getRevision = defineRoute({
  method: 'GET',
  path: '/v6/recipe-types/{name}/revisions/{revision_num}/',
  summary: 'Show a revision of a recipe type',
  params: { name: pathText, revision_num: pathRevision },
  replies: { 200: RecipeTypeRevisionDetails },
  async handle({ params: { name, revision_num } }, { sql }: Parts<'sql'>) {
    const found = await findRecipeTypeRevision(sql, name, revision_num);
    if (found === undefined) throw unknownRevision(name, revision_num);
    return reply(200, found);
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/recipe-types/',
  summary: 'Create a recipe type',
  repeats: 'keyed',
  hasLargeBody: true,
  body: RecipeTypeCreate,
  documentProblems: async (raw, { sql }: Parts<'sql'>) => (await checkRecipeType(sql, raw)).errors,
  replies: { 201: RecipeTypeDetails },
  async handle({ body, request }, { sql }: Parts<'sql'>) {
    const { record, warnings } = await addRecipeType(sql, body, request);
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
  documentProblems: async (raw, { sql }: Parts<'sql'>) => (await checkRecipeType(sql, raw)).errors,
  replies: { 204: NO_BODY },
  async handle({ params: { name }, body, request }, parts: RecipeTypeParts) {
    return reply(204, undefined, warningHeader(await changeRecipeType(parts, name, body, request.nowMs)));
  },
});

const validate = defineValidation({
  path: '/v6/recipe-types/validation/',
  summary: 'Check a recipe type',
  hasLargeBody: true,
  body: RecipeTypeValidation,
  result: RecipeTypeValidationResult,
  async handle({ raw, checked }, parts: Parts<'sql' | 'revisions'>) {
    const { diff, definition, ...found } = await checkRecipeType(parts.sql, raw);
    const isValid = checked.ok && found.errors.length === 0;
    const effects =
      isValid && definition !== undefined
        ? await recipeTypeEffects(parts, storableText(raw.name), definition)
        : null;
    return { ...found, extra: { diff, effects } };
  },
});

export const recipeTypeRoutes = [
  list,
  create,
  validate,
  get,
  edit,
  listRevisions,
  getRevision,
  grid,
  typeGraph,
  difference,
];

/** `/v6/recipes/`: runs of recipe types on given data. */
import { AppError } from '../../domain/errors.ts';
import { OPEN_STATES } from '../../domain/listing/filters.ts';
import { defineList } from '../../http/list.ts';
import { dryRun } from '../../http/request/dry-run.ts';
import { orderBy, scalarFields } from '../../http/request/ordering.ts';
import { choices, flag, integers, texts } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { NO_BODY } from '../../http/schema.ts';
import { listRecipes } from '../../store/recipe/list.ts';
import { sourceFilters } from '../jobs/routes.ts';
import type { Parts } from '../parts.ts';
import { workDocumentProblems } from '../shared/requests.ts';
import { warningHeader } from '../shared/warnings.ts';
import { difference, timeline } from './comparison.ts';
import { chain, graph } from './graph.ts';
import { previewOf, type ReprocessParts, reprocessDocumentProblems, reprocessRecipe } from './reprocess.ts';
import {
  Recipe,
  RecipeCreate,
  RecipeDetails,
  RecipeReprocess,
  ReprocessPreview,
  recipePath,
} from './schema.ts';
import { type StartParts, startRecipe } from './service.ts';

/** A recipe type sorts by its name. */
export const RECIPE_ORDER = [...scalarFields(Recipe), 'recipe_type'] as const;

const ids = (records: string) => integers(`Ids of ${records}.`, { minimum: 1 });

const filters = {
  ...sourceFilters,
  recipe_id: ids('recipes'),
  recipe_type_id: ids('recipe types'),
  recipe_type_name: texts('Names of recipe types.'),
  batch_id: ids('batches'),
  root_recipe_id: ids('recipes: all below them are listed, at any depth, but not they themselves'),
  state: choices(
    'States of recipes that are not complete; `is_completed` finds those that are.',
    OPEN_STATES,
  ),
  is_superseded: flag('True: only superseded recipes; false: only the others.'),
  is_completed: flag('True: only completed recipes; false: only the others.'),
};
const order = orderBy(RECIPE_ORDER, ['last_modified']);

const list = defineList({
  path: '/v6/recipes/',
  summary: 'List recipes',
  description: '`started` and `ended` are compared with `last_modified`.',
  query: { ...filters, order },
  record: Recipe,
  records: ({ query, shown }, { sql }: Parts<'sql'>) =>
    listRecipes(sql, query, query.order, query.paging, shown),
});

const get = defineRoute({
  method: 'GET',
  path: '/v6/recipes/{id}/',
  summary: 'Show a recipe and its nodes',
  params: { id: pathId },
  replies: { 200: RecipeDetails },
  async handle({ params }, { recipeReads }: Parts<'recipeReads'>) {
    const found = await recipeReads.details(params.id);
    if (found === undefined) throw new AppError('NOT_FOUND', `there is no recipe ${params.id}`);
    return reply(200, found);
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/v6/recipes/',
  summary: 'Start a recipe',
  waitsForEntry: true,
  repeats: 'keyed',
  hasLargeBody: true,
  body: RecipeCreate,
  documentProblems: (raw, { sql }: Parts<'sql'>) => workDocumentProblems(sql, raw, 'scalars'),
  replies: { 201: RecipeDetails },
  async handle({ body, request }, parts: StartParts) {
    const { record, warnings } = await startRecipe(parts, body, request);
    return reply(201, record, { location: recipePath(record.id), ...warningHeader(warnings) });
  },
});

const reprocess = defineRoute({
  method: 'POST',
  path: '/v6/recipes/{id}/reprocess/',
  summary: 'Reprocess a recipe',
  description:
    'A new recipe takes its place. Nodes that did not change and are not forced keep their jobs; the jobs of the ' +
    'others are superseded.',
  repeats: 'keyed',
  hasLargeBody: true,
  params: { id: pathId },
  body: RecipeReprocess,
  documentProblems: async (raw) => reprocessDocumentProblems(raw),
  query: { dry_run: dryRun },
  replies: { 200: ReprocessPreview, 202: NO_BODY },
  async handle({ params, body, query, request }, parts: ReprocessParts) {
    if (query.dry_run === true) return reply(200, await previewOf(parts, params.id, body, request.nowMs));
    const warnings = await reprocessRecipe(parts, params.id, body, request);
    return reply(202, undefined, warningHeader(warnings));
  },
});

export const recipeRoutes = [list, create, get, reprocess, graph, timeline, chain, difference];

/** When the jobs of a recipe ran, and what differs between two recipes of a chain. */
import { type Static, Type } from '@sinclair/typebox';
import { diffDefinitions } from '../../domain/recipe/recipe-diff.ts';
import { integer as integerParameter } from '../../http/request/parameters.ts';
import { pathId } from '../../http/request/path-parameters.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { document, id, instant, integer, named, orNull } from '../../http/schema.ts';
import { changedInputs, changedProducts, comparedRecipes } from '../../store/recipe/difference.ts';
import { recipeTimeline } from '../../store/recipe/timeline.ts';
import type { Parts } from '../parts.ts';
import { DefinitionDifference } from '../shared/definition-difference.ts';
import { count, JobStatus, nullableInstant } from '../shared/records.ts';
import { unknownReference } from '../shared/requests.ts';
import { unknownRecipe } from './graph.ts';

// limit: jobs of a time line.
const JOBS_MAX = 2_000;

const path = Type.Array(Type.String(), {
  description: 'The name of the node, after the names of the recipe nodes that contain it.',
});
const timelineJobFields = {
  id: id(),
  recipe_id: id(),
  path,
  is_kept: Type.Boolean({
    description:
      'Taken over from the recipe that was superseded, itself or with the recipe that contains it.',
  }),
  status: JobStatus,
  queued: instant(),
  started: nullableInstant,
  ended: nullableInstant,
};
export const RecipeTimeline = named(
  'RecipeTimeline',
  Type.Object({
    count: integer({ minimum: 0, description: 'Jobs that were queued.' }),
    jobs: Type.Array(Type.Object(timelineJobFields), {
      description: `The first ${JOBS_MAX} of them, in the order in which they were queued.`,
    }),
  }),
);

export const timeline = defineRoute({
  method: 'GET',
  path: '/v6/recipes/{id}/timeline/',
  summary: 'Show when the jobs of a recipe waited and ran',
  description: 'Also those of all recipes inside it.',
  params: { id: pathId },
  replies: { 200: RecipeTimeline },
  async handle({ params }, { sql }: Parts<'sql'>) {
    const found = await recipeTimeline(sql, params.id, JOBS_MAX);
    if (found === undefined) throw unknownRecipe(params.id);
    return reply(200, { count: found.count, jobs: [...found.jobs] });
  },
});

const recipeFields = { id: id(), revision_num: integer({ minimum: 1 }) };
const value = orNull(
  Type.String({
    description: 'The first 200 characters of its JSON; for files a list of their ids. Null: there is none.',
  }),
);
const product = orNull(
  Type.Object({ id: id(), file_size: count, is_deleted: Type.Boolean() }, { description: 'Null: none.' }),
);
const productFields = {
  path,
  output: orNull(Type.String({ description: 'The output of the job.' })),
  file_name: Type.String(),
  before: product,
  after: product,
  is_same_content: orNull(
    Type.Boolean({ description: 'By its SHA-256. Null: there are not two files, or one has none.' }),
  ),
};
export const RecipeDifference = named(
  'RecipeDifference',
  Type.Object({
    ...recipeFields,
    from: Type.Object(recipeFields),
    diff: document('What differs between the definitions, node by node.', DefinitionDifference),
    inputs: Type.Array(Type.Object({ name: Type.String(), before: value, after: value }), {
      description: 'Those that differ, by name; 100 at most.',
    }),
    product_count: integer({ minimum: 0, description: 'Products that differ.' }),
    products: Type.Array(Type.Object(productFields), {
      description: 'The first 200 of them, by node. What was taken over is in both recipes.',
    }),
  }),
);

export const difference = defineRoute({
  method: 'GET',
  path: '/v6/recipes/{id}/difference/',
  summary: 'Show what changed between two recipes of a type',
  description:
    'Compares their inputs, their revisions and their products, including those of recipes inside them.',
  params: { id: pathId },
  query: {
    from: integerParameter('The recipe to compare with. Default: the one that it superseded.', {
      minimum: 1,
    }),
  },
  replies: { 200: RecipeDifference },
  async handle({ params, query }, { sql }: Parts<'sql'>) {
    return reply(200, await differenceOf(sql, params.id, query.from));
  },
});

async function differenceOf(
  sql: Parts<'sql'>['sql'],
  recipeId: number,
  given: number | undefined,
): Promise<Static<typeof RecipeDifference>> {
  const [recipe] = await comparedRecipes(sql, [recipeId]);
  if (recipe === undefined) throw unknownRecipe(recipeId);
  const fromId = given ?? recipe.supersededRecipeId;
  if (fromId === null) throw unknownReference('from', `is required: recipe ${recipeId} superseded none`);
  const [from] = await comparedRecipes(sql, [fromId]);
  if (from?.recipeTypeId !== recipe.recipeTypeId) {
    throw unknownReference('from', `there is no recipe ${fromId} of the same type`);
  }
  const [inputs, { count: product_count, products }] = await Promise.all([
    changedInputs(sql, from.id, recipe.id),
    changedProducts(sql, from.id, recipe.id),
  ]);
  return {
    ...{ id: recipe.id, revision_num: recipe.revisionNum },
    from: { id: from.id, revision_num: from.revisionNum },
    diff: { ...diffDefinitions(from.definition, recipe.definition) },
    ...{ inputs: [...inputs], product_count, products: [...products] },
  };
}

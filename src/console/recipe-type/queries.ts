/** What the page of a recipe type reads. */
import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf, components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';
import { type Grid, isInGrid } from './grid-changes.ts';

/** limit: revisions that a page lists. */
const REVISIONS = 200;

export type RecipeType = AnswerOf<'get', '/v6/recipe-types/{name}/'>;

export const recipeTypeDetails = (name: string) =>
  queryOptions({
    queryKey: ['recipe-type', name],
    queryFn: ({ signal }) => client.get('/v6/recipe-types/{name}/', { path: { name }, signal }),
    ...shows(['recipe_type']),
  });

/** Without `typeId`, the change of any recipe puts the grid out of date. */
export const recipeTypeGrid = (name: string, typeId?: number) =>
  queryOptions({
    queryKey: ['recipe-type', name, 'grid'],
    queryFn: ({ signal }) => client.get('/v6/recipe-types/{name}/grid/', { path: { name }, signal }),
    ...shows(
      ['recipe', 'job', 'condition'],
      typeId === undefined ? undefined : (change, grid: Grid) => isInGrid(change, typeId, grid),
    ),
  });

export const recipeTypeRevisions = (name: string) =>
  queryOptions({
    queryKey: ['recipe-type', name, 'revisions'],
    queryFn: ({ signal }) =>
      client.get('/v6/recipe-types/{name}/revisions/', {
        path: { name },
        query: { page_size: REVISIONS },
        signal,
      }),
    ...shows(['recipe_type']),
  });

export const recipeTypeRevision = (name: string, revision_num: number) =>
  queryOptions({
    queryKey: ['recipe-type', name, 'revision', revision_num],
    queryFn: ({ signal }) =>
      client.get('/v6/recipe-types/{name}/revisions/{revision_num}/', {
        path: { name, revision_num },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const revisionGraph = (name: string, revision_num: number) =>
  queryOptions({
    queryKey: ['recipe-type', name, 'graph', revision_num],
    queryFn: ({ signal }) =>
      client.get('/v6/recipe-types/{name}/revisions/{revision_num}/graph/', {
        path: { name, revision_num },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export type Difference = components['schemas']['DefinitionDifference'];

export const revisionDifference = (name: string, revision_num: number, from: number) =>
  queryOptions({
    queryKey: ['recipe-type', name, 'difference', revision_num, from],
    queryFn: async ({ signal }) => {
      const answer = await client.get('/v6/recipe-types/{name}/revisions/{revision_num}/difference/', {
        path: { name, revision_num },
        query: { from },
        signal,
      });
      return answer.diff;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

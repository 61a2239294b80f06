/** What the list of recipes reads. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';
import { PAGE, type RecordPage, type RecordSource } from '../parts/record-rows.ts';
import type { Recipe } from './recipe-columns.tsx';
import type { RecipeQuery } from './recipe-search.ts';

const RECIPE_FIELDS =
  'id,recipe_type,recipe_type_rev,recipe,is_superseded,is_completed,jobs_total,jobs_completed,jobs_failed,' +
  'jobs_running,jobs_queued,jobs_pending,jobs_blocked,jobs_canceled,created,completed,last_modified';

export const recipeList = (filters: RecipeQuery): RecordSource<Recipe> => ({
  key: ['recipes', filters],
  kinds: ['recipe', 'job'],
  read: (page, signal) =>
    client.get('/v6/recipes/', {
      query: { ...filters, page, page_size: PAGE, fields: RECIPE_FIELDS },
      signal,
    }) as Promise<RecordPage<Recipe>>,
});

export const recipeTypeNames = queryOptions({
  queryKey: ['recipe-type-names'],
  queryFn: ({ signal }) =>
    client.get('/v6/recipe-types/', {
      query: { order: ['name'], page_size: 1_000, fields: 'id,name,title' },
      signal,
    }),
  ...shows(['recipe_type']),
});

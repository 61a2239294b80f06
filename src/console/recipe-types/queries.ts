/** What the list of recipe types reads. */
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';
import { type TypeSearch, typeQuery } from '../type-pages/type-search.ts';

export type RecipeType = components['schemas']['RecipeType'];

export const recipeTypeList = (search: TypeSearch): RecordSource<RecipeType> => ({
  key: ['recipe-types', search],
  kinds: ['recipe_type'],
  read: (page, signal) =>
    client.get('/v6/recipe-types/', { query: { ...typeQuery(search), page, page_size: PAGE }, signal }),
});

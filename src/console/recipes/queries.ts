/** What the list of recipes reads. */
import type { QueryOf } from '../../client/operations.ts';
import type { ChoiceSource } from '../choices/object-choice.tsx';
import { namedChoices } from '../choices/sources.ts';
import { client } from '../client.ts';
import { PAGE, type RecordPage, type RecordSource } from '../parts/record-rows.ts';
import type { Recipe } from './recipe-columns.tsx';
import type { RecipeQuery } from './recipe-search.ts';

const RECIPE_FIELDS =
  'id,recipe_type,recipe_type_rev,recipe,is_superseded,state,is_halted,jobs_total,jobs_completed,jobs_failed,' +
  'created,completed,last_modified';

export const recipeList = (filters: RecipeQuery): RecordSource<Recipe> => ({
  key: ['recipes', filters],
  kinds: ['recipe', 'job'],
  read: (page, signal) =>
    client.get('/v6/recipes/', {
      query: { ...filters, page, page_size: PAGE, fields: RECIPE_FIELDS },
      signal,
    }) as Promise<RecordPage<Recipe>>,
});

type TypeQuery = QueryOf<'get', '/v6/recipe-types/'>;

/** Recipe types by their names or ids. `only`: filters of their list. */
function recipeTypes(field: 'id' | 'name', only: TypeQuery): ChoiceSource {
  return namedChoices(
    { key: ['recipe-types', field, only], kinds: ['recipe_type'], noun: 'a recipe type' },
    field,
    (query, signal) => client.get('/v6/recipe-types/', { query: { ...only, ...query }, signal }),
  );
}

export const recipeTypesByName = recipeTypes('name', {});
export const recipeTypesById = recipeTypes('id', {});
/** Those that can be used. */
export const usableTypesByName = recipeTypes('name', { is_active: true });
export const usableTypesById = recipeTypes('id', { is_active: true });
/** Those that can be started for a file: those of diagnostics take no file. */
export const typesForFiles = recipeTypes('name', { is_active: true, is_system: false });

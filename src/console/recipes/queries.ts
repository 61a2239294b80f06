/** What the list of recipes reads. */
import { queryOptions } from '@tanstack/react-query';
import type { QueryOf } from '../../client/operations.ts';
import { type ChoiceSource, type FoundChoices, LISTED_MAX } from '../choices/object-choice.tsx';
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

type TypeQuery = QueryOf<'get', '/v6/recipe-types/'>;

/** Recipe types by their names or ids. `only`: filters of their list. */
function recipeTypes(field: 'id' | 'name', only: TypeQuery): ChoiceSource {
  const readWith = async (query: TypeQuery, signal: AbortSignal): Promise<FoundChoices> => {
    const { count, results } = await client.get('/v6/recipe-types/', {
      query: { ...only, ...query, order: ['title'], page_size: LISTED_MAX, fields: 'id,name,title' },
      signal,
    });
    return { count, choices: results.map((one) => [String(one[field]), `${one.title} (${one.name})`]) };
  };
  return {
    ...{ key: ['recipe-types', field, only], kinds: ['recipe_type'], noun: 'a recipe type' },
    read: (text, signal) => readWith({ keyword: [text] }, signal),
    async textOf(value, signal) {
      const query = field === 'id' ? { id: [Number(value)] } : { keyword: [value] };
      return (await readWith(query, signal)).choices.find(([one]) => one === value)?.[1];
    },
  };
}

export const recipeTypesByName = recipeTypes('name', {});
export const recipeTypesById = recipeTypes('id', {});
/** Those that can be used. */
export const usableTypesByName = recipeTypes('name', { is_active: true });
export const usableTypesById = recipeTypes('id', { is_active: true });
/** Those that can be started for a file: those of diagnostics take no file. */
export const typesForFiles = recipeTypes('name', { is_active: true, is_system: false });

/** What the list of strikes reads, and the form that makes one. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';
import type { Strike } from './strike-columns.tsx';
import type { Sort } from './strike-search.ts';

const TYPES_MAX = 1_000;

export const strikeList = (order: Sort | `-${Sort}`): RecordSource<Strike> => ({
  key: ['strikes', order],
  // The node is shown too, which changes with the strike's job.
  kinds: ['strike', 'job', 'workspace'],
  read: (page, signal) =>
    client.get('/v6/strikes/', { query: { order: [order], page, page_size: PAGE }, signal }),
});

/** The first recipe types that can be started for a file. Those of diagnostics take no file. */
export const activeRecipeTypes = queryOptions({
  queryKey: ['recipe-types', 'active'],
  queryFn: ({ signal }) =>
    client.get('/v6/recipe-types/', {
      query: {
        ...{ order: ['title'], is_active: true, is_system: false },
        ...{ page_size: TYPES_MAX, fields: 'id,name,title' },
      },
      signal,
    }),
  ...shows(['recipe_type']),
});

/** What the pages of batches read. */
import { queryOptions } from '@tanstack/react-query';
import type { BodyOf, components, QueryOf } from '../../client/operations.ts';
import { type ChoiceSource, type FoundChoices, LISTED_MAX } from '../choices/object-choice.tsx';
import { byTitleOrId, TITLE_OR_ID } from '../choices/sources.ts';
import { client } from '../client.ts';
import { counted } from '../format/amounts.ts';
import { FIGURES_MS, shows } from '../live/shown.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';

export type Batch = components['schemas']['Batch'];
export type BatchDetails = components['schemas']['BatchDetails'];
export type BatchBody = BodyOf<'post', '/v6/batches/'>;
export type BatchQuery = Omit<QueryOf<'get', '/v6/batches/'>, 'page' | 'page_size' | 'fields'>;

export const batchList = (filters: BatchQuery): RecordSource<Batch> => ({
  key: ['batches', filters],
  kinds: ['batch', 'recipe'],
  read: (page, signal) =>
    client.get('/v6/batches/', { query: { ...filters, page, page_size: PAGE }, signal }),
});

export const batchDetails = (id: number) =>
  queryOptions({
    queryKey: ['batches', id],
    queryFn: ({ signal }) => client.get('/v6/batches/{id}/', { path: { id }, signal }),
    // A new count is not a change of the batch.
    refetchInterval: FIGURES_MS,
    ...shows(['batch'], id),
  });

export const batchComparison = (id: number) =>
  queryOptions({
    queryKey: ['batches', id, 'comparison'],
    queryFn: ({ signal }) => client.get('/v6/batches/comparison/{id}/', { path: { id }, signal }),
    refetchInterval: FIGURES_MS,
  });

const GROUPS_MAX = 100;

/** The failed jobs of a batch in groups. */
export const batchFailures = (id: number) =>
  queryOptions({
    queryKey: ['failures', 'batch', id],
    queryFn: ({ signal }) =>
      client.get('/v6/batches/{id}/failures/', { path: { id }, query: { page_size: GROUPS_MAX }, signal }),
    ...shows(['job', 'failure_note']),
  });

/** Batches that are not superseded, so that a new one may follow them, by the first batch of their chain. */
export function currentBatches(recipeType: string): ChoiceSource {
  const read = async (query: BatchQuery, signal: AbortSignal): Promise<FoundChoices> => {
    const { count: total, results } = await client.get('/v6/batches/', {
      query: { ...query, is_superseded: false, page_size: LISTED_MAX, order: ['-id'] },
      signal,
    });
    return { count: total, choices: results.map((batch) => [String(rootOf(batch)), textOfBatch(batch)]) };
  };
  const ofType: BatchQuery = { recipe_type_id: [Number(recipeType)] };
  return {
    ...{ key: ['batches', recipeType], kinds: ['batch'], noun: 'a batch', searchedBy: TITLE_OR_ID },
    read: (text, signal) =>
      byTitleOrId(text, (terms) =>
        read({ ...ofType, ...('id' in terms ? { batch_id: terms.id } : terms) }, signal),
      ),
    textOf: async (root, signal) => (await read({ root_batch_id: [Number(root)] }, signal)).choices[0]?.[1],
  };
}

/** The batch that a new one of the chain follows; null if there is none. */
export const lastOfChain = (root: string) =>
  queryOptions({
    queryKey: ['batches', 'last', root],
    queryFn: async ({ signal }) => {
      const query: BatchQuery = { root_batch_id: [Number(root)], is_superseded: false };
      return (await client.get('/v6/batches/', { query, signal })).results[0] ?? null;
    },
    ...shows(['batch']),
  });

export const rootOf = ({ id, root_batch }: Batch): number => root_batch?.id ?? id;

const textOfBatch = ({ id, title, recipes_total }: Batch): string =>
  `${id}${title === '' ? '' : ` ${title}`}, ${counted(recipes_total, 'recipe')}`;

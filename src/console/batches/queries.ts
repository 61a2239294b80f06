/** What the pages of batches read. */
import { queryOptions } from '@tanstack/react-query';
import type { BodyOf, components, QueryOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { FIGURES_MS, shows } from '../live/shown.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';

export type Batch = components['schemas']['Batch'];
export type BatchDetails = components['schemas']['BatchDetails'];
export type BatchBody = BodyOf<'post', '/v6/batches/'>;
export type BatchQuery = Omit<QueryOf<'get', '/v6/batches/'>, 'page' | 'page_size' | 'fields'>;

const CHOICES_MAX = 1_000;

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

/** The newest datasets. */
export const datasetChoices = queryOptions({
  queryKey: ['datasets', 'choices'],
  queryFn: ({ signal }) =>
    client.get('/v6/datasets/', {
      query: { page_size: CHOICES_MAX, fields: 'id,title,files', order: ['-id'] },
      signal,
    }),
  ...shows(['dataset']),
});

/** Batches that are not superseded: a new one may follow them. */
export const currentBatches = queryOptions({
  queryKey: ['batches', 'current'],
  queryFn: ({ signal }) =>
    client.get('/v6/batches/', {
      query: { is_superseded: false, page_size: CHOICES_MAX, order: ['-id'] },
      signal,
    }),
  ...shows(['batch']),
});

/** What the page of a recipe reads. */
import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf, BodyOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { FILES_MAX } from '../files/file-links.tsx';
import { shows } from '../live/shown.ts';

export type Recipe = AnswerOf<'get', '/v6/recipes/{id}/'>;

export const recipeDetails = (id: number) =>
  queryOptions({
    queryKey: ['recipe', id],
    queryFn: ({ signal }) => client.get('/v6/recipes/{id}/', { path: { id }, signal }),
    ...shows(['recipe', 'job', 'condition'], id),
  });

export const recipeGraph = (id: number) =>
  queryOptions({
    queryKey: ['recipe', id, 'graph'],
    queryFn: ({ signal }) => client.get('/v6/recipes/{id}/graph/', { path: { id }, signal }),
    ...shows(['recipe', 'job', 'condition'], id),
  });

export const recipeTimeline = (id: number) =>
  queryOptions({
    queryKey: ['recipe', id, 'timeline'],
    queryFn: ({ signal }) => client.get('/v6/recipes/{id}/timeline/', { path: { id }, signal }),
    ...shows(['recipe', 'job'], id),
  });

export type RecipeDifference = AnswerOf<'get', '/v6/recipes/{id}/difference/'>;

/** The difference from the superseded recipe. */
export const recipeDifference = (id: number) =>
  queryOptions({
    queryKey: ['recipe', id, 'difference'],
    queryFn: ({ signal }) => client.get('/v6/recipes/{id}/difference/', { path: { id }, signal }),
    ...shows(['recipe', 'file'], id),
  });

export const recipeChain = (id: number) =>
  queryOptions({
    queryKey: ['recipe', id, 'chain'],
    queryFn: ({ signal }) => client.get('/v6/recipes/{id}/chain/', { path: { id }, signal }),
    ...shows(['recipe']),
  });

export const recipeInputs = (id: number) =>
  queryOptions({
    queryKey: ['recipe', id, 'inputs'],
    queryFn: ({ signal }) =>
      client.get('/v6/recipes/{id}/input_files/', { path: { id }, query: { page_size: FILES_MAX }, signal }),
  });

export const recipeProducts = (id: number) =>
  queryOptions({
    queryKey: ['recipe', id, 'products'],
    queryFn: ({ signal }) =>
      client.get('/v6/files/', {
        query: { recipe_id: [id], file_type: ['PRODUCT'], order: ['-id'], page_size: FILES_MAX },
        signal,
      }),
    ...shows(['recipe', 'file'], id),
  });

export type ReprocessBody = NonNullable<BodyOf<'post', '/v6/recipes/{id}/reprocess/'>>;

export interface ReprocessPreview {
  readonly nodes: { readonly made: readonly string[]; readonly kept: readonly string[] };
  readonly new_jobs: number;
  readonly new_recipes: number;
  readonly superseded_jobs: number;
  readonly canceled_job_count: number;
  readonly warnings: readonly { readonly description: string }[];
}

export const reprocessPreview = (id: number, body: ReprocessBody) =>
  queryOptions({
    queryKey: ['reprocess', id, body],
    queryFn: async ({ signal }) =>
      (await client.post('/v6/recipes/{id}/reprocess/', {
        path: { id },
        body,
        query: { dry_run: true },
        signal,
      })) as ReprocessPreview,
    gcTime: 0,
  });

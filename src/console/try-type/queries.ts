/** What the trial of a job type reads. */
import { queryOptions } from '@tanstack/react-query';
import { RefusedError } from '../../client/errors.ts';
import type { AnswerOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';

/** limit: files that are suggested. */
const SUGGESTED = 50;

export type KnownFile = Pick<
  AnswerOf<'get', '/v6/files/{id}/'>,
  'id' | 'file_name' | 'file_size' | 'workspace'
>;

/** The newest sources. */
export const newestSources = queryOptions({
  queryKey: ['files', 'newest-sources'],
  queryFn: ({ signal }) =>
    client.get('/v6/files/', {
      query: { file_type: ['SOURCE'], order: ['-id'], page_size: SUGGESTED, fields: 'id,file_name' },
      signal,
    }),
  ...shows(['file']),
});

/** The newest file of this name, or the file with this id. Null: there is none. */
export const knownFile = (text: string) =>
  queryOptions({
    queryKey: ['known-file', text],
    queryFn: async ({ signal }): Promise<KnownFile | null> => {
      const query = { file_name: [text], order: ['-id' as const], page_size: 1 };
      const { results } = await client.get('/v6/files/', { query, signal });
      const [named] = results as readonly KnownFile[];
      if (named !== undefined || !/^\d{1,15}$/.test(text)) return named ?? null;
      return unlessAbsent(client.get('/v6/files/{id}/', { path: { id: Number(text) }, signal }));
    },
    ...shows(['file']),
  });

async function unlessAbsent<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null;
    throw error;
  }
}

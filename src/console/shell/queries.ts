/** What the frame of all pages reads. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

export const version = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => client.get('/v6/version/', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

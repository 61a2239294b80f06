/** What the page of a strike reads. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';

export const strikeDetails = (id: number) =>
  queryOptions({
    queryKey: ['strike', id],
    queryFn: ({ signal }) => client.get('/v6/strikes/{id}/', { path: { id }, signal }),
    ...shows(['strike', 'job', 'workspace'], id),
  });

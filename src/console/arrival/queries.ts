/** What the page of an arrival reads. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';

const JOBS = 100;

export const arrivalDetails = (id: number) =>
  queryOptions({
    queryKey: ['arrival', id],
    queryFn: ({ signal }) => client.get('/v6/ingests/{id}/', { path: { id }, signal }),
    ...shows(['ingest'], id),
  });

/** Its own job, and those of the recipe that it started. */
export const arrivalJobs = (id: number) =>
  queryOptions({
    queryKey: ['arrival', id, 'jobs'],
    queryFn: ({ signal }) =>
      client.get('/v6/ingests/{id}/jobs/', { path: { id }, query: { page_size: JOBS }, signal }),
    ...shows(['job']),
  });

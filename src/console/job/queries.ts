/** What the page of a job reads. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';
import { FILES_MAX } from '../files/file-links.tsx';
import { FIGURES_MS, shows } from '../live/shown.ts';

const EXECUTIONS = 100;

export const jobDetails = (id: number) =>
  queryOptions({
    queryKey: ['job', id],
    queryFn: ({ signal }) => client.get('/v6/jobs/{id}/', { path: { id }, signal }),
    ...shows(['job', 'execution'], id),
  });

export const jobWhy = (id: number) =>
  queryOptions({
    queryKey: ['job', id, 'why'],
    queryFn: ({ signal }) => client.get('/v6/jobs/{id}/why/', { path: { id }, signal }),
    // The causes also depend on nodes, which change without a change of the job.
    refetchInterval: FIGURES_MS,
    ...shows(['job', 'scheduler'], id),
  });

export const jobExecutions = (id: number) =>
  queryOptions({
    queryKey: ['job', id, 'executions'],
    queryFn: ({ signal }) =>
      client.get('/v6/jobs/{id}/executions/', {
        path: { id },
        query: { page_size: EXECUTIONS },
        signal,
      }),
    ...shows(['job', 'execution'], id),
  });

export const jobInputs = (id: number) =>
  queryOptions({
    queryKey: ['job', id, 'inputs'],
    queryFn: ({ signal }) =>
      client.get('/v6/jobs/{id}/input_files/', { path: { id }, query: { page_size: FILES_MAX }, signal }),
    ...shows(['job'], id),
  });

export const jobProducts = (id: number) =>
  queryOptions({
    queryKey: ['job', id, 'products'],
    queryFn: ({ signal }) =>
      client.get('/v6/files/', {
        query: { job_id: [id], file_type: ['PRODUCT'], order: ['-id'], page_size: FILES_MAX },
        signal,
      }),
    ...shows(['job', 'file'], id),
  });

/** What pages read, each with the kinds of objects whose changes make it out of date. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { QueryOf } from '../client/operations.ts';
import { client } from './client.ts';
import type { JobQuery } from './jobs/job-search.ts';
import type { Shown } from './live/cache.ts';

export const JOBS_PAGE = 100;
/** Figures that no change announces are read again so often. */
const FIGURES_MS = 5_000;
const MINUTES_MS = 60_000;
const JOB_FIELDS =
  'id,status,job_type,recipe,node,error,reason,num_exes,created,queued,started,ended,last_modified,last_status_change';

const shows = (kinds: Shown['kinds'], id?: number): { readonly meta: { readonly shown: Shown } } => ({
  meta: { shown: id === undefined ? { kinds } : { kinds, id } },
});

export const jobsPage = (filters: JobQuery, page: number) =>
  queryOptions({
    queryKey: ['jobs', filters, page],
    queryFn: ({ signal }) =>
      client.get('/v6/jobs/', {
        query: { ...filters, page, page_size: JOBS_PAGE, fields: JOB_FIELDS },
        signal,
      }),
    placeholderData: keepPreviousData,
    ...shows(['job']),
  });

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
    // Which node is free changes without a change of the job.
    refetchInterval: FIGURES_MS,
    ...shows(['job', 'scheduler'], id),
  });

export const jobExecutions = (id: number) =>
  queryOptions({
    queryKey: ['job', id, 'executions'],
    queryFn: ({ signal }) =>
      client.get('/v6/jobs/{id}/executions/', {
        path: { id },
        query: { page_size: JOBS_PAGE },
        signal,
      }),
    ...shows(['job', 'execution'], id),
  });

export const systemStatus = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => client.get('/v6/status/', { signal }),
  refetchInterval: FIGURES_MS,
  ...shows(['node', 'scheduler']),
});

export const version = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => client.get('/v6/version/', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const queueLengths = queryOptions({
  queryKey: ['queue', 'lengths'],
  queryFn: ({ signal }) => client.get('/v6/scheduler/queued-resources/', { signal }),
  refetchInterval: FIGURES_MS,
  ...shows(['job']),
});

export const queueStatus = queryOptions({
  queryKey: ['queue', 'status'],
  queryFn: ({ signal }) => client.get('/v6/queue/status/', { query: { page_size: 10 }, signal }),
  refetchInterval: FIGURES_MS,
  ...shows(['job']),
});

export const strikes = queryOptions({
  queryKey: ['strikes'],
  queryFn: ({ signal }) =>
    client.get('/v6/strikes/', { query: { order: ['-last_modified'], page_size: 10 }, signal }),
  ...shows(['strike', 'job']),
});

/** How many ingests have a status. */
export const ingestCount = (status: NonNullable<QueryOf<'get', '/v6/ingests/'>['status']>[number]) =>
  queryOptions({
    queryKey: ['ingests', 'count', status],
    queryFn: ({ signal }) =>
      client
        .get('/v6/ingests/', {
          query: { status: [status], page_size: 1, fields: 'id', started: 'P1D' },
          signal,
        })
        .then(({ count }) => count),
    ...shows(['ingest']),
  });

/** How many jobs of each type have each status and category of error, of those that changed within a day. */
export const typeStatus = queryOptions({
  queryKey: ['job-types', 'status'],
  queryFn: ({ signal }) =>
    client.get('/v6/job-types/status/', { query: { started: 'P1D', page_size: 200 }, signal }),
  ...shows(['job']),
});

/** Live jobs by the minute over the last hour. */
export const loadOfHour = queryOptions({
  queryKey: ['load', 'hour'],
  queryFn: ({ signal }) =>
    client.get('/v6/load/', { query: { interval: 'minute', started: 'PT1H', page_size: 100 }, signal }),
  refetchInterval: MINUTES_MS,
});

export const jobTypeNames = queryOptions({
  queryKey: ['job-type-names'],
  queryFn: ({ signal }) =>
    client.get('/v6/job-type-names/', {
      query: { order: ['name'], page_size: 1_000, fields: 'name,title' },
      signal,
    }),
  ...shows(['job_type']),
});

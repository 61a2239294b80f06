/** What the overview reads. */
import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf, QueryOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { FIGURES_MS, MINUTES_MS, shows } from '../live/shown.ts';

/** Without the list of job types, which is most of the answer where there are many. */
const STATUS_FIELDS = 'timestamp,dependencies,scheduler,system,secrets_store,num_offers,resources,nodes';

export type SystemStatus = AnswerOf<'get', '/v6/status/'>;

export const systemStatus = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => client.get('/v6/status/', { query: { fields: STATUS_FIELDS }, signal }),
  refetchInterval: FIGURES_MS,
  ...shows(['node', 'scheduler']),
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

/** Whether any file was ever recorded. */
export const hasFiles = queryOptions({
  queryKey: ['files', 'any'],
  queryFn: ({ signal }) =>
    client
      .get('/v6/files/', { query: { page_size: 1, fields: 'id' }, signal })
      .then(({ results }) => results.length > 0),
  ...shows(['file']),
});

/** The number of ingests with a status. */
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

/** Arrived files and products by the minute. */
export const activity = (range: 'PT1H' | 'P1D') =>
  queryOptions({
    queryKey: ['activity', range],
    async queryFn({ signal }) {
      const minutes = [];
      const options = { query: { started: range }, pageSize: 1_000, signal };
      for await (const one of client.list('/v6/activity/', options)) minutes.push(one);
      return minutes;
    },
    refetchInterval: MINUTES_MS,
  });

/** Active workspaces that no node reaches, with what each node found. */
export const unreachedWorkspaces = queryOptions({
  queryKey: ['workspaces', 'unreached'],
  queryFn: ({ signal }) =>
    client
      .get('/v6/workspaces/unreached/', { query: { page_size: 100 }, signal })
      .then(({ results }) => results),
  refetchInterval: MINUTES_MS,
  ...shows(['workspace', 'node']),
});

/** The number of jobs that failed within a day: that of the list to which the figure leads. */
export const failedCount = queryOptions({
  queryKey: ['jobs', 'count', 'FAILED'],
  queryFn: ({ signal }) =>
    client
      .get('/v6/jobs/', { query: { status: ['FAILED'], page_size: 1, fields: 'id', started: 'P1D' }, signal })
      .then(({ count }) => count),
  ...shows(['job']),
});

/** Live jobs by the minute over the last hour. */
export const loadOfHour = queryOptions({
  queryKey: ['load', 'hour'],
  queryFn: ({ signal }) =>
    client.get('/v6/load/', { query: { interval: 'minute', started: 'PT1H', page_size: 100 }, signal }),
  refetchInterval: MINUTES_MS,
});

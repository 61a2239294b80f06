/** What the overview reads. */
import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { FIGURES_MS, MINUTES_MS, shows } from '../live/shown.ts';

/** Without the list of job types, which is most of the answer where there are many. */
const STATUS_FIELDS = 'timestamp,dependencies,scheduler,system,secrets_store,num_offers,resources,nodes';

export type SystemStatus = AnswerOf<'get', '/v6/status/'>;
export type Overview = AnswerOf<'get', '/v6/overview/'>;

export const systemStatus = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => client.get('/v6/status/', { query: { fields: STATUS_FIELDS }, signal }),
  refetchInterval: FIGURES_MS,
  ...shows(['node', 'scheduler']),
});

/** The present work and the problems. */
export const overview = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => client.get('/v6/overview/', { signal }),
  refetchInterval: FIGURES_MS,
  ...shows(['job', 'ingest', 'strike', 'workspace', 'node', 'scheduler', 'failure_note']),
});

/** Whether any file was ever recorded. */
export const hasFiles = queryOptions({
  queryKey: ['has-files'],
  queryFn: ({ signal }) =>
    client
      .get('/v6/files/', { query: { page_size: 1, fields: 'id' }, signal })
      .then(({ results }) => results.length > 0),
  ...shows(['file']),
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

/** Live jobs by the minute over the last hour. */
export const loadOfHour = queryOptions({
  queryKey: ['load', 'hour'],
  queryFn: ({ signal }) =>
    client.get('/v6/load/', { query: { interval: 'minute', started: 'PT1H', page_size: 100 }, signal }),
  refetchInterval: MINUTES_MS,
});

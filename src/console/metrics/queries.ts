/** What the page of metrics reads. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { MINUTES_MS } from '../live/shown.ts';

export type Series = components['schemas']['MetricsPlotSeries'];
export type MetricsRange = 'P1D' | 'P7D' | 'P31D';

export const metricsTypes = queryOptions({
  queryKey: ['metrics'],
  queryFn: ({ signal }) => client.get('/v6/metrics/', { signal }),
});

export const metricsType = (name: string) =>
  queryOptions({
    queryKey: ['metrics', name],
    queryFn: ({ signal }) => client.get('/v6/metrics/{name}/', { path: { name }, signal }),
  });

export interface Wanted {
  readonly name: string;
  readonly columns: readonly string[];
  readonly choiceIds: readonly number[];
  readonly range: MetricsRange;
}

export const plotData = ({ name, columns, choiceIds, range }: Wanted) =>
  queryOptions({
    queryKey: ['metrics', name, 'plot', columns, choiceIds, range],
    queryFn: ({ signal }) =>
      client.get('/v6/metrics/{name}/plot-data/', {
        path: { name },
        query: {
          column: [...columns],
          choice_id: [...choiceIds],
          started: range,
          page_size: 1_000,
        },
        signal,
      }),
    enabled: columns.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: MINUTES_MS,
  });

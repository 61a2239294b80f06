/** What the map of the flow reads. */
import { queryOptions } from '@tanstack/react-query';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { FIGURES_MS, shows } from '../live/shown.ts';
import type { RANGES } from './flow-search.ts';

export type Flow = components['schemas']['Flow'];
export type FlowNode = components['schemas']['FlowNode'];
export type FlowEdge = components['schemas']['FlowEdge'];

export const flowOf = (range: (typeof RANGES)[number]) =>
  queryOptions({
    queryKey: ['flow', range],
    queryFn: ({ signal }) => client.get('/v6/flow/', { query: { started: range }, signal }),
    refetchInterval: FIGURES_MS,
    ...shows(['workspace', 'strike', 'scan', 'recipe_type', 'job_type']),
  });

/** What the page of the queue reads. */
import { queryOptions } from '@tanstack/react-query';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { FIGURES_MS, shows } from '../live/shown.ts';

export type QueueClass = components['schemas']['QueueClass'];
export type SchedulerSettings = components['schemas']['Scheduler'];

export const CLASSES_MAX = 100;

/** Scheduling classes of queued jobs; first those that no node could run. */
export const queueClasses = queryOptions({
  queryKey: ['queue', 'classes'],
  queryFn: ({ signal }) => client.get('/v6/queue/classes/', { query: { page_size: CLASSES_MAX }, signal }),
  refetchInterval: FIGURES_MS,
  ...shows(['job', 'node', 'scheduler']),
});

/** Live jobs by state, and the resources that they need. */
export const queueLengths = queryOptions({
  queryKey: ['queue', 'lengths'],
  queryFn: ({ signal }) => client.get('/v6/scheduler/queued-resources/', { signal }),
  refetchInterval: FIGURES_MS,
  ...shows(['job']),
});

export const schedulerSettings = queryOptions({
  queryKey: ['scheduler'],
  queryFn: ({ signal }) => client.get('/v6/scheduler/', { signal }),
  ...shows(['scheduler']),
});

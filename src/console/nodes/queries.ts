/** What the pages of nodes read. */
import { queryOptions } from '@tanstack/react-query';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { FIGURES_MS, MINUTES_MS, shows } from '../live/shown.ts';

export type NodeStatus = components['schemas']['StatusNode'];
export type UseRange = 'PT1H' | 'P1D';

const PAGE_SIZE = 1_000;

/** The resources and their use by the minute: of one node, or of all together. */
export const nodeUse = (range: UseRange, nodeId?: number) =>
  queryOptions({
    queryKey: ['node-use', range, nodeId],
    async queryFn({ signal }) {
      const query = { started: range, ...(nodeId === undefined ? {} : { node_id: [nodeId] }) };
      const minutes = [];
      for await (const one of client.list('/v6/nodes/use/', { query, pageSize: PAGE_SIZE, signal })) {
        minutes.push(one);
      }
      return minutes;
    },
    refetchInterval: MINUTES_MS,
  });

/** The records of nodes, which say why and since when nodes are paused. */
export const nodeRecords = queryOptions({
  queryKey: ['nodes'],
  queryFn: ({ signal }) =>
    client.get('/v6/nodes/', { query: { order: ['hostname'], page_size: PAGE_SIZE }, signal }),
  ...shows(['node']),
});

export const nodeRecord = (id: number) =>
  queryOptions({
    queryKey: ['nodes', id],
    queryFn: ({ signal }) => client.get('/v6/nodes/{id}/', { path: { id }, signal }),
    ...shows(['node'], id),
  });

export const RUNNING_MAX = 100;

/** The jobs that run on a node. */
export const runningJobs = (id: number) =>
  queryOptions({
    queryKey: ['jobs', 'running-on', id],
    queryFn: ({ signal }) =>
      client.get('/v6/jobs/', {
        query: { running_node_id: [id], order: ['started'], page_size: RUNNING_MAX },
        signal,
      }),
    refetchInterval: FIGURES_MS,
    ...shows(['job']),
  });

/** What the pages of scans read. */
import { queryOptions } from '@tanstack/react-query';
import type { components, QueryOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { FIGURES_MS, shows } from '../live/shown.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';

export type Scan = components['schemas']['Scan'];
export type ScanDetails = components['schemas']['ScanDetails'];
export type ScanQuery = Omit<QueryOf<'get', '/v6/scans/'>, 'page' | 'page_size' | 'fields'>;

export const scanList = (filters: ScanQuery): RecordSource<Scan> => ({
  key: ['scans', filters],
  kinds: ['scan'],
  read: (page, signal) => client.get('/v6/scans/', { query: { ...filters, page, page_size: PAGE }, signal }),
});

export const scanDetails = (id: number) =>
  queryOptions({
    queryKey: ['scans', id],
    queryFn: ({ signal }) => client.get('/v6/scans/{id}/', { path: { id }, signal }),
    // A new count of a running scan is not a change of the scan.
    refetchInterval: FIGURES_MS,
    ...shows(['scan'], id),
  });

export const scanComparison = (id: number) =>
  queryOptions({
    queryKey: ['scans', id, 'comparison'],
    queryFn: ({ signal }) => client.get('/v6/scans/{id}/comparison/', { path: { id }, signal }),
    refetchInterval: FIGURES_MS,
    ...shows(['scan'], id),
  });

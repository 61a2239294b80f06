/** What the list of arrivals reads. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';
import { PAGE, type RecordPage, type RecordSource } from '../parts/record-rows.ts';
import type { Ingest } from './arrival-columns.tsx';
import type { IngestQuery } from './arrival-search.ts';

const FIELDS =
  'id,status,reason,file_name,file_size,file_path,strike,scan,workspace,new_workspace,source_file,job,last_modified';
const NAMES_MAX = 1_000;

/** The list of ingests with these filters. */
export const arrivalList = (filters: IngestQuery): RecordSource<Ingest> => ({
  key: ['arrivals', filters],
  kinds: ['ingest'],
  // The fields are those that the list's columns show.
  read: (page, signal) =>
    client.get('/v6/ingests/', {
      query: { ...filters, page, page_size: PAGE, fields: FIELDS },
      signal,
    }) as Promise<RecordPage<Ingest>>,
});

/** The first strikes in the order of their titles. */
export const strikeTitles = queryOptions({
  queryKey: ['strike-titles'],
  queryFn: ({ signal }) =>
    client.get('/v6/strikes/', {
      query: { order: ['title'], page_size: NAMES_MAX, fields: 'id,title' },
      signal,
    }),
  ...shows(['strike']),
});

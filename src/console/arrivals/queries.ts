/** What the list of arrivals reads. */
import { client } from '../client.ts';
import { PAGE, type RecordPage, type RecordSource } from '../parts/record-rows.ts';
import type { Ingest } from './arrival-columns.tsx';
import type { IngestQuery } from './arrival-search.ts';

const FIELDS =
  'id,status,reason,file_name,file_size,file_path,strike,scan,workspace,new_workspace,source_file,job,last_modified';

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

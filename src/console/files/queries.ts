/** What the list of files reads. */
import type { QueryClient } from '@tanstack/react-query';
import { client } from '../client.ts';
import { PAGE, type RecordPage, type RecordSource } from '../parts/record-rows.ts';
import type { StoredFile } from './file-columns.tsx';
import type { FileQuery } from './file-search.ts';

const FIELDS =
  'id,file_name,file_type,media_type,file_size,file_path,workspace,is_deleted,is_superseded,' +
  'job_type,job_output,created,last_modified,object_version';

/** The list of files with these filters. */
export const fileList = (filters: FileQuery): RecordSource<StoredFile> => ({
  key: ['files', filters],
  kinds: ['file'],
  // The fields are those that the list's columns show, and those by which the page of a file begins to read.
  read: (page, signal) =>
    client.get('/v6/files/', {
      query: { ...filters, page, page_size: PAGE, fields: FIELDS },
      signal,
    }) as Promise<RecordPage<StoredFile>>,
});

/** The file as it is in a list that was shown, with the fields of the list. */
export function listedFile(queries: QueryClient, id: number): StoredFile | undefined {
  const pages = queries.getQueriesData<RecordPage<StoredFile>>({ queryKey: ['files'] });
  return pages.flatMap(([, page]) => page?.results ?? []).find((file) => file.id === id);
}
